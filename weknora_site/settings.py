"""Settings, read once from the environment; docs/settings.md describes every variable.

Importing this starts nothing and writes nothing: the embedded services' addresses and the
generated secrets are read from the data directory when a first start has made them.
"""

from pathlib import Path

import django_stubs_ext

from core.addresses import parse_allow_list
from core.embedded.layout import Layout, default_data_dir
from core.embedded.ports import remembered_port
from core.embedded.secrets_file import read_secrets, throwaway_secrets
from core.embedded.services import embedded_addresses
from weknora_site import env
from weknora_site.admin_theme import UNFOLD as UNFOLD
from weknora_site.storages import file_storages

django_stubs_ext.monkeypatch()

# --- The installation -------------------------------------------------------------------------
BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = default_data_dir(env.text("WEKNORA_DATA_DIR"))
EMBEDDED = Layout(DATA_DIR)
_generated = read_secrets(EMBEDDED.secrets_file)
SECRETS_ARE_KEPT = _generated is not None or bool(
    env.secret("WEKNORA_SECRET_KEY") and env.secret("WEKNORA_FIELD_KEYS")
)
"""False before the first start: what runs without them (checks, migrations) needs no lasting key."""
_secrets = _generated or throwaway_secrets()

SECRET_KEY = env.secret("WEKNORA_SECRET_KEY", _secrets.django_secret_key)
FIELD_ENCRYPTION_KEYS = [
    key.strip()
    for key in env.secret("WEKNORA_FIELD_KEYS", _secrets.field_encryption_key).split(",")
    if key.strip()
]
"""The first encrypts, all decrypt: put a new key in front to rotate."""
FIELD_KEYS_FILE = EMBEDDED.secrets_file if not env.secret("WEKNORA_FIELD_KEYS") else None
"""Where `manage.py rotate_keys` changes them; processes look at it again when it has changed."""

# --- Who may reach it -------------------------------------------------------------------------
DEBUG = env.boolean("WEKNORA_DEBUG", default=False)
LISTEN_HOST = env.text("WEKNORA_HOST", "127.0.0.1")
LISTEN_PORT = env.integer("WEKNORA_PORT", 8000, at_least=1, at_most=65535)
ALLOWED_HOSTS = env.words("WEKNORA_ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.words("WEKNORA_ORIGINS")
ROOT_PATH = env.url_path("WEKNORA_ROOT_PATH")
"""Where a proxy shows the product below its host; "" for the host itself."""
FORCE_SCRIPT_NAME = ROOT_PATH or None
BEHIND_HTTPS = env.boolean("WEKNORA_HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = BEHIND_HTTPS
SECURE_HSTS_SECONDS = env.integer("WEKNORA_HSTS_SECONDS", 31_536_000) if BEHIND_HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = env.boolean("WEKNORA_HSTS_SUBDOMAINS", default=False)
SECURE_HSTS_PRELOAD = env.boolean("WEKNORA_HSTS_PRELOAD", default=False)
# Both are about other hosts of the domain, of which only its owner knows whether they speak HTTPS.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_HTTPS else None
SECURE_REDIRECT_EXEMPT = [rf"^{ROOT_PATH.lstrip('/')}/?health/"]
# The limits of signing in count clients by the address that the last of these proxies saw.
ALLAUTH_TRUSTED_PROXY_COUNT = env.integer("WEKNORA_PROXIES", 1 if BEHIND_HTTPS else 0)
SESSION_COOKIE_HTTPONLY = True
# Not Strict: a link in a mail, and the way back from single sign-on, find the person signed in.
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = LANGUAGE_COOKIE_PATH = f"{ROOT_PATH}/"
if BEHIND_HTTPS:
    # "__Host-": browsers take the cookie only from this very host, by HTTPS, for all paths. Below a
    # sub-path others share the host, and must not get it: that rules the prefix out.
    _prefix = "__Secure-" if ROOT_PATH else "__Host-"
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = f"{_prefix}sessionid", f"{_prefix}csrftoken"
SESSION_COOKIE_AGE = env.integer("WEKNORA_SESSION_DAYS", 14, at_least=1) * 86_400
SESSION_IDLE_SECONDS = env.integer("WEKNORA_SESSION_IDLE_MINUTES", 0) * 60
"""Sessions that are not used for so long end; 0: only their age ends them."""
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

# --- Applications -----------------------------------------------------------------------------
INSTALLED_APPS = [
    "unfold",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django.contrib.postgres",
    "channels",
    "django_htmx",
    "guardian",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "allauth.mfa",
    "allauth.usersessions",
    "django_celery_beat",
    "rest_framework",
    "drf_spectacular",
    "core",
    "accounts",
    "providers",
    "knowledge",
    "wiki",
    "sandbox",
    "agents",
    "integrations",
    "weknora_site",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "weknora_site.csp.ContentSecurityPolicyMiddleware",
    "core.headers.HeadersMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "core.middleware.AddressMiddleware",
    "accounts.login.middleware.VisitMiddleware",
    "accounts.middleware.ActorMiddleware",
    "accounts.login.middleware.TwoFactorMiddleware",
    "core.middleware.ErrorPagesMiddleware",
    "accounts.doors.DoorMiddleware",
]
ROOT_URLCONF = "weknora_site.urls"
ASGI_APPLICATION = "weknora_site.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "accounts.context.shell",
                "agents.context.conversations",
                "wiki.context.inbox",
            ],
            "builtins": ["django.templatetags.i18n", "django.templatetags.static"],
        },
    }
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
REST_FRAMEWORK = {"DEFAULT_SCHEMA_CLASS": "integrations.api.schema.RouteSchema"}
SPECTACULAR_SETTINGS = {
    "TITLE": "WeKnora Django",
    "DESCRIPTION": "Send a key in X-API-Key. Answers come in the envelope {success, data}.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "DISABLE_ERRORS_AND_WARNINGS": False,
}

# --- Services ---------------------------------------------------------------------------------
_embedded = embedded_addresses(EMBEDDED)
DATABASE_IS_EMBEDDED = not env.secret("DATABASE_URL")
BROKER_IS_EMBEDDED = not env.secret("REDIS_URL")
_database = env.database("DATABASE_URL", _embedded.database_url)
_database["CONN_HEALTH_CHECKS"] = True
_database["OPTIONS"] = {"connect_timeout": "10", **_database["OPTIONS"]}
DATABASE_POOL = env.integer("WEKNORA_DATABASE_POOL", 0)
"""Connections kept by a process; servers and workers ask for a pool, commands need none."""
if DATABASE_POOL:
    _database["OPTIONS"]["pool"] = {
        "min_size": 0,
        "max_size": DATABASE_POOL,
        "timeout": 15.0,
        "max_idle": 60.0,
    }
DATABASES = {"default": _database}
REDIS_URL = env.redis_url("REDIS_URL", _embedded.redis_url)
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [REDIS_URL], "prefix": "weknora"},
    }
}
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "cache",
    }
}

# --- Jobs -------------------------------------------------------------------------------------
JOB_HEARTBEAT_SECONDS = env.decimal("WEKNORA_JOB_HEARTBEAT_SECONDS", 2.0, at_least=0.1)
JOB_LEASE_SECONDS = env.decimal("WEKNORA_JOB_LEASE_SECONDS", 30.0, at_least=0.5)
JOB_ROWS_KEPT_DAYS = env.integer("WEKNORA_JOB_ROWS_KEPT_DAYS", 30, at_least=1)
HOUSEKEEPING_SECONDS = env.decimal("WEKNORA_HOUSEKEEPING_SECONDS", 5.0, at_least=0.2)
RUN_THREADS = env.integer("WEKNORA_RUN_THREADS", 72, at_least=1)
INGEST_THREADS = env.integer("WEKNORA_INGEST_THREADS", 3, at_least=1)
JOBS_IN_FLIGHT_PER_SPACE = {
    "default": 4,
    "runs": 48,
    # One thread is left for other spaces: their first document must not wait for a long one.
    "ingest": max(1, INGEST_THREADS - 1),
    "enrich": 4,
}
JOBS_IN_FLIGHT = {"enrich": 16}
"""Of all spaces together. Enrichment waits for models in the threads that people's runs need, too."""
INGEST_WAITING_PER_SPACE = env.integer("WEKNORA_INGEST_WAITING_PER_SPACE", 20_000, at_least=1)
BATCH_FILES = env.integer("WEKNORA_BATCH_FILES", 50, at_least=1)
BATCH_BYTES = env.integer("WEKNORA_BATCH_BYTES", 100_000_000, at_least=1)
MODEL_CONCURRENCY = env.integer("WEKNORA_MODEL_CONCURRENCY", 32, at_least=1)

CELERY_BROKER_URL = REDIS_URL
CELERY_BROKER_TRANSPORT = "weknora_site.broker:Transport"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "socket_connect_timeout": 3.0,
    "socket_keepalive": True,
    "health_check_interval": 25,
    # No wake-up is more urgent than another: one list a queue instead of four to wait for.
    "priority_steps": [0],
}
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_DISABLE_PREFETCH = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULER = "django_celery_beat.schedulers:DatabaseScheduler"
CELERY_BEAT_MAX_LOOP_INTERVAL = 5
CELERY_BEAT_SCHEDULE = {
    # Beside the worker's own thread, which does it every HOUSEKEEPING_SECONDS.
    "keep-house": {
        "task": "core.keep_house",
        "schedule": 60.0,
        "options": {"queue": "default", "expires": 60.0},
    },
}

# --- Traces of runs: off until an address is named ----------------------------------------------
OTEL_ENDPOINT = env.text("OTEL_EXPORTER_OTLP_ENDPOINT")
OTEL_HEADERS = env.secret("OTEL_EXPORTER_OTLP_HEADERS")
OTEL_SERVICE_NAME = env.text("OTEL_SERVICE_NAME", "weknora")
TRACE_CONTENT = env.boolean("WEKNORA_TRACE_CONTENT", default=False)

# --- Skills -----------------------------------------------------------------------------------
BUILTIN_SKILLS_DIR = BASE_DIR / "skills"
SKILLS_DIR = env.text("WEKNORA_SKILLS_DIR")
"""A directory of the server whose directories administrators may install as skills; "": none."""
SKILL_UNPACKED_DIR = DATA_DIR / "skills"
SKILL_BUNDLE_MIB = env.integer("WEKNORA_SKILL_BUNDLE_MIB", 256, at_least=1, at_most=512)
SKILL_FILE_MIB = env.integer("WEKNORA_SKILL_FILE_MIB", 16, at_least=1, at_most=512)
SKILL_FILES = env.integer("WEKNORA_SKILL_FILES", 1000, at_least=1, at_most=10_000)
# --- The sandbox ------------------------------------------------------------------------------
SANDBOX_DIR = Path(env.text("WEKNORA_SANDBOX_DIR", str(DATA_DIR / "sandbox")))
SANDBOX_PYTHON_DIR = Path(
    env.text("WEKNORA_SANDBOX_PYTHON_DIR", str(BASE_DIR / "var" / "sandbox-python"))
)
SANDBOX_DOCKER_URL = env.text("WEKNORA_SANDBOX_DOCKER_URL", "unix:///var/run/docker.sock")
SANDBOX_DOCKER_IMAGES = env.words("WEKNORA_SANDBOX_DOCKER_IMAGES", ["weknora-sandbox:skeleton"])
"""The first is used where a configuration names none; it may name no other than these."""

# --- Built-in models --------------------------------------------------------------------------
LOCAL_MODELS_ENABLED = env.boolean("WEKNORA_LOCAL_MODELS", default=True)
LOCAL_MODELS_URL = env.text(
    "WEKNORA_LOCAL_MODELS_URL",
    f"http://127.0.0.1:{remembered_port(EMBEDDED.ports_file, 'models') or 1}/v1",
)
LOCAL_MODELS_KEY = env.secret("WEKNORA_LOCAL_MODELS_KEY", _secrets.local_model_key)
TRUSTED_ENDPOINTS = [LOCAL_MODELS_URL]
"""Addresses of our own that the guard of outgoing requests lets through."""

# --- People -----------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "allauth.account.auth_backends.AuthenticationBackend",
    "guardian.backends.ObjectPermissionBackend",
]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = env.choice(
    "WEKNORA_EMAIL_VERIFICATION", "none", choices=("none", "optional", "mandatory")
)
ACCOUNT_EMAIL_NOTIFICATIONS = bool(env.text("WEKNORA_EMAIL_HOST"))
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_METHODS = ["password", "mfa"]
ACCOUNT_ADAPTER = "accounts.adapter.AccountAdapter"
ACCOUNT_FORMS = {"login": "accounts.login.forms.SignInForm"}
ACCOUNT_LOGOUT_ON_GET = False
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = f"{ROOT_PATH}/"
ACCOUNT_LOGOUT_REDIRECT_URL = f"{ROOT_PATH}/account/login/"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 8},
    },
    {"NAME": "accounts.login.passwords.MaximumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
GUARDIAN_RAISE_403 = False
ANONYMOUS_USER_NAME = None
ACCOUNTS_REGISTRATION = env.choice(
    "WEKNORA_REGISTRATION", "self_serve", choices=("self_serve", "invite_only", "closed")
)
ACCOUNTS_DEFAULT_SPACE = env.choice(
    "WEKNORA_DEFAULT_SPACE", "personal", choices=("personal", "none")
)
ACCOUNTS_MAX_OWNED_SPACES = env.integer("WEKNORA_MAX_OWNED_SPACES", 10, at_least=1)
ACCOUNTS_SPACE_CREATION = env.boolean("WEKNORA_SPACE_CREATION", default=True)
ACCOUNTS_AUTO_ACCEPT = env.boolean("WEKNORA_AUTO_ACCEPT", default=False)
DEFAULT_QUOTA_GB = env.integer("WEKNORA_DEFAULT_QUOTA_GB", 10)
AUDIT_DAYS = env.integer("WEKNORA_AUDIT_DAYS", 90)
FIRST_ADMIN_EMAIL = env.text("WEKNORA_ADMIN_EMAIL", "admin@example.com")
BOOTSTRAP_ADMIN_EMAIL = env.text("WEKNORA_BOOTSTRAP_ADMIN_EMAIL")

# --- Second factors ---------------------------------------------------------------------------
MFA_ADAPTER = "accounts.login.two_factor.MfaAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TRUST_ENABLED = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_TOTP_TOLERANCE = 1
# Without a mail server nobody's address is confirmed, and nobody could have a second factor.
MFA_ALLOW_UNVERIFIED_EMAIL = ACCOUNT_EMAIL_VERIFICATION == "none"
# Browsers themselves allow passkeys by plain HTTP on this machine only.
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not BEHIND_HTTPS
REQUIRE_TWO_FACTOR = env.choice(
    "WEKNORA_REQUIRE_TWO_FACTOR", "nobody", choices=("nobody", "staff", "everybody")
)

# --- Single sign-on: off until an issuer is named ------------------------------------------------
SOCIALACCOUNT_ADAPTER = "accounts.login.oidc.people.SocialAccountAdapter"
SOCIALACCOUNT_EMAIL_VERIFICATION = "none"  # our own rules ask for a confirmed address
SOCIALACCOUNT_REQUESTS_TIMEOUT = 10
OIDC_ISSUER = env.text("WEKNORA_OIDC_ISSUER")
OIDC_CLIENT_ID = env.text("WEKNORA_OIDC_CLIENT_ID")
OIDC_CLIENT_SECRET = env.secret("WEKNORA_OIDC_CLIENT_SECRET")
OIDC_NAME = env.text("WEKNORA_OIDC_NAME", "single sign-on")
OIDC_SCOPES = env.words("WEKNORA_OIDC_SCOPES", ["openid", "profile", "email"])
OIDC_DOMAINS = env.words("WEKNORA_OIDC_DOMAINS")
OIDC_PROVISION = env.choice(
    "WEKNORA_OIDC_PROVISION", "registration", choices=("registration", "always", "never")
)
OIDC_SPACE = env.integer("WEKNORA_OIDC_SPACE", 0)
OIDC_ROLE = env.choice("WEKNORA_OIDC_ROLE", "viewer", choices=("viewer", "contributor", "admin"))
OIDC_HAS_TWO_FACTOR = env.boolean("WEKNORA_OIDC_HAS_TWO_FACTOR", default=False)

# --- Directory (LDAP): off until an address is named ---------------------------------------------
LDAP_URL = env.text("WEKNORA_LDAP_URL")
LDAP_START_TLS = env.boolean("WEKNORA_LDAP_START_TLS", default=False)
LDAP_CA_FILE = env.text("WEKNORA_LDAP_CA_FILE")
LDAP_BIND_DN = env.text("WEKNORA_LDAP_BIND_DN")
LDAP_BIND_PASSWORD = env.secret("WEKNORA_LDAP_BIND_PASSWORD")
LDAP_USER_BASE = env.text("WEKNORA_LDAP_USER_BASE")
LDAP_USER_FILTER = env.text("WEKNORA_LDAP_USER_FILTER", "(mail=%(user)s)")
LDAP_EMAIL_ATTRIBUTE = env.text("WEKNORA_LDAP_EMAIL_ATTRIBUTE", "mail")
LDAP_NAME_ATTRIBUTE = env.text("WEKNORA_LDAP_NAME_ATTRIBUTE", "cn")
LDAP_GROUP_BASE = env.text("WEKNORA_LDAP_GROUP_BASE")
LDAP_GROUP_ROLES = env.words("WEKNORA_LDAP_GROUP_ROLES")
LDAP_PROVISION = env.choice(
    "WEKNORA_LDAP_PROVISION", "registration", choices=("registration", "always", "never")
)
LDAP_SPACE = env.integer("WEKNORA_LDAP_SPACE", 0)
LDAP_ROLE = env.choice("WEKNORA_LDAP_ROLE", "viewer", choices=("viewer", "contributor", "admin"))
if LDAP_URL:
    # After the product's own passwords: those of administrators work when the directory is away.
    AUTHENTICATION_BACKENDS.append("accounts.login.ldap.backend.DirectoryBackend")

# --- Mail: printed to the log until a server is named -------------------------------------------
EMAIL_HOST = env.text("WEKNORA_EMAIL_HOST")
EMAIL_BACKEND = (
    "django.core.mail.backends.smtp.EmailBackend"
    if EMAIL_HOST
    else "accounts.notices.log_backend.LogBackend"
)
EMAIL_PORT = env.integer("WEKNORA_EMAIL_PORT", 587, at_least=1, at_most=65535)
EMAIL_HOST_USER = env.text("WEKNORA_EMAIL_USER")
EMAIL_HOST_PASSWORD = env.secret("WEKNORA_EMAIL_PASSWORD")
_email_security = env.choice(
    "WEKNORA_EMAIL_SECURITY", "starttls", choices=("starttls", "tls", "none")
)
EMAIL_USE_TLS = _email_security == "starttls"
EMAIL_USE_SSL = _email_security == "tls"
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.text("WEKNORA_EMAIL_FROM", "weknora@localhost")

# --- Language, files, log ---------------------------------------------------------------------
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = "weknora_site.formats"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文"), ("ja", "日本語"), ("ko", "한국어")]
STATIC_URL = f"{ROOT_PATH}/static/"
# Served from where they lie; only a web server in front needs them collected.
STATIC_ROOT = env.text("WEKNORA_STATIC_ROOT") or None
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
# Vendored files carry their version in the name.
WHITENOISE_IMMUTABLE_FILE_TEST = r"^/static/vendor/.+-\d+\.\d+"
MEDIA_ROOT = DATA_DIR / "files"
STORAGES = file_storages(
    kind=env.choice("WEKNORA_STORAGE", "local", choices=("local", "s3")),
    bucket=env.text("WEKNORA_S3_BUCKET"),
    endpoint_url=env.text("WEKNORA_S3_ENDPOINT"),
    region=env.text("WEKNORA_S3_REGION"),
    access_key=env.secret("WEKNORA_S3_ACCESS_KEY"),
    secret_key=env.secret("WEKNORA_S3_SECRET_KEY"),
    folder=env.text("WEKNORA_S3_FOLDER"),
    addressing=env.choice("WEKNORA_S3_ADDRESSING", "auto", choices=("auto", "path", "virtual")),
)
STORAGE_LINK_SECONDS = env.integer("WEKNORA_S3_LINK_SECONDS", 60, at_most=3600)
"""How long a signed link to a file in an object store holds; 0: files come through our own door."""
EXPORT_HOURS = env.integer("WEKNORA_EXPORT_HOURS", 48, at_least=1)
"""How long the copy of a space can be downloaded."""
MAX_UPLOAD_BYTES = env.integer("WEKNORA_MAX_UPLOAD_MB", 100, at_least=1) * 1_000_000
MOST_PICTURES = env.integer("WEKNORA_PICTURES_PER_DOCUMENT", 50, at_most=200)
TRASH_DAYS = env.integer("WEKNORA_TRASH_DAYS", 30, at_least=1)
"""How long a deleted document can be restored."""
SEARCH_DAYS = env.integer("WEKNORA_SEARCH_DAYS", 30)
"""How long each search is kept to be looked into; 0: none is kept."""
EMBEDDINGS_KEPT_DAYS = env.integer("WEKNORA_EMBEDDINGS_KEPT_DAYS", 7, at_least=1)
"""How long a change of a base's embedding model can be undone."""
CLAMD_ADDRESS = env.text("WEKNORA_CLAMD_ADDRESS")
"""Of a virus scanner: host:port, or the path of its socket; without one nothing is scanned."""
FETCH_SECONDS = env.integer("WEKNORA_FETCH_SECONDS", 60, at_least=1)
"""The most that fetching a web address may take."""
RERANK_SECONDS = env.integer("WEKNORA_RERANK_SECONDS", 10, at_least=1, at_most=300)
"""The most that a search waits for its rerank model; after it the order is the search's own."""
LIMITS_PER_MINUTE = {
    "ask": env.integer("WEKNORA_LIMIT_ASK", 30),
    "search": env.integer("WEKNORA_LIMIT_SEARCH", 60),
    "upload": env.integer("WEKNORA_LIMIT_UPLOAD", 300),
    "api": env.integer("WEKNORA_LIMIT_API", 600),
}
WIKI_MIRRORS = env.path("WEKNORA_WIKI_MIRRORS", DATA_DIR / "mirrors")
"""Where the Git repositories of mirrored wikis are; each can be made anew from the database."""
PUBLIC_WIKI_PER_MINUTE = env.integer("WEKNORA_PUBLIC_WIKI_PER_MINUTE", 240, at_least=1)
# Addresses inside of the network that may be called all the same; core/dialling.py asks it.
SSRF_ALLOW = parse_allow_list(env.words("WEKNORA_SSRF_ALLOW"))
MAX_QUESTION_CHARACTERS = env.integer("WEKNORA_MAX_QUESTION_CHARACTERS", 20_000, at_least=100)
SANDBOX_SESSIONS_PER_SPACE = env.integer("WEKNORA_SANDBOX_SESSIONS_PER_SPACE", 20, at_least=1)
SANDBOX_SESSIONS = env.integer("WEKNORA_SANDBOX_SESSIONS", 100, at_least=1)
SANDBOX_HOURS = env.integer("WEKNORA_SANDBOX_HOURS", 24, at_least=1)
"""The longest that a workspace lives, however much it is used."""
SANDBOX_FILE_MB = env.integer("WEKNORA_SANDBOX_FILE_MB", 16, at_least=1, at_most=50)
SANDBOX_TURN_MB = env.integer("WEKNORA_SANDBOX_TURN_MB", 64, at_least=1, at_most=512)
"""The most of the files in a sandbox's output that are given to the person, in MiB."""
LOG_LEVEL = env.choice(
    "WEKNORA_LOG_LEVEL", "info", choices=("debug", "info", "warning", "error")
).upper()
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(levelname)s %(name)s: %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
    "loggers": {
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        # A line for each request of each library says nothing to the owner.
        "httpx": {"level": "WARNING"},
        "httpcore": {"level": "WARNING"},
        "openai": {"level": "WARNING"},
        "celery.app.trace": {"level": "WARNING"},
        "celery.worker.strategy": {"level": "WARNING"},
        "celery.beat": {"level": "WARNING"},
        "django_celery_beat.schedulers": {"level": "WARNING"},
        "daphne": {"level": "WARNING"},
        "daphne.server": {"level": "WARNING"},
    },
}
