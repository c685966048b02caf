"""Published pages are found by every search, each as a document of its base."""
