"""Commands in a long-lived container for each workspace, by the Docker Engine."""
