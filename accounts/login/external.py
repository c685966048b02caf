"""Links between people and the directory or identity provider they sign in from."""

from __future__ import annotations

from allauth.socialaccount.models import SocialAccount

from accounts.models import User

DIRECTORY = "ldap"
"""The provider's name of links to the directory; the subject is the entry's distinguished name."""
SINGLE_SIGN_ON = "oidc"


def signs_in_elsewhere(user: User) -> bool:
    """Say whether the person's password is kept elsewhere: then none can be set or reset here.

    Else somebody who lost their account there would come back in with a password from here.
    """
    return not user.has_usable_password() and SocialAccount.objects.filter(user=user).exists()
