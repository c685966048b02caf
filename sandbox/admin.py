"""What of this app is on the admin site."""

from sandbox import skill_admin as skill_admin
