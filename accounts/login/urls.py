"""The map of everything below `/account/`: our pages first, then allauth's."""

from allauth.socialaccount.views import login_cancelled
from django.urls import URLPattern, URLResolver, include, path

from accounts.login.oidc import views as oidc
from accounts.views import security

urlpatterns: list[URLPattern | URLResolver] = [
    path("security/", security.overview, name="security"),
    path("security/sessions/<int:session_id>/end/", security.end_one, name="session_end"),
    path("security/sessions/end-others/", security.end_others, name="sessions_end_others"),
    path("security/disconnect/<int:link_id>/", security.disconnect, name="identity_disconnect"),
    path("two-factor/required/", security.required, name="two_factor_required"),
    # Before allauth's own: who signs in elsewhere sets no password here.
    path("password/change/", security.change_password, name="account_change_password"),
    path("password/set/", security.set_password, name="account_set_password"),
    path("oidc/login/", oidc.sign_in, name="oidc_login"),
    path("oidc/callback/", oidc.come_back, name="oidc_callback"),
    path("oidc/cancelled/", login_cancelled, name="socialaccount_login_cancelled"),
    # allauth's lists of factors are part of our page.
    path("2fa/", security.to_overview, name="mfa_index"),
    path("2fa/webauthn/", security.to_overview, name="mfa_list_webauthn"),
    path("2fa/", include("allauth.mfa.urls")),
    path("", include("allauth.account.urls")),
]
