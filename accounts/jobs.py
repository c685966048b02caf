"""Names of the background jobs of this app."""

from core.jobs.declare import Job

FORGET_AUDIT = Job(name="accounts.forget_audit")
RECOUNT_STORAGE = Job(name="accounts.recount_storage")
MAIL_INVITATIONS = Job(name="accounts.mail_invitations")
