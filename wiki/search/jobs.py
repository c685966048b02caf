"""Names of the jobs that keep what is searched in step with pages."""

from core.jobs.declare import Job

SEARCH_PAGE = Job(name="wiki.search_page")
SEARCH_WIKI = Job(name="wiki.search_wiki")
"""All pages of a base: its wiki was switched on or off."""
