"""Settings, read once from the environment; docs/settings.md describes every variable.

Importing this starts nothing and writes nothing: the embedded services' addresses and the
generated secrets are read from the data directory when a first start has made them.
"""

from pathlib import Path

import django_stubs_ext

from core.embedded.layout import Layout, default_data_dir
from core.embedded.ports import remembered_port
from core.embedded.secrets_file import read_secrets, throwaway_secrets
from core.embedded.services import embedded_addresses
from weknora_site import env
from weknora_site.admin_theme import UNFOLD as UNFOLD

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

# --- Who may reach it -------------------------------------------------------------------------
DEBUG = env.boolean("WEKNORA_DEBUG", default=False)
LISTEN_HOST = env.text("WEKNORA_HOST", "127.0.0.1")
LISTEN_PORT = env.integer("WEKNORA_PORT", 8000, at_least=1, at_most=65535)
ALLOWED_HOSTS = env.words("WEKNORA_ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.words("WEKNORA_ORIGINS")
BEHIND_HTTPS = env.boolean("WEKNORA_HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = BEHIND_HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if BEHIND_HTTPS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_HTTPS else None
SECURE_REDIRECT_EXEMPT = [r"^health/"]
# The limits of signing in count clients by the address that the last of these proxies saw.
ALLAUTH_TRUSTED_PROXY_COUNT = env.integer("WEKNORA_PROXIES", 1 if BEHIND_HTTPS else 0)
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
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
    "weknora_site",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "weknora_site.csp.ContentSecurityPolicyMiddleware",
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
    "accounts.middleware.ActorMiddleware",
    "core.middleware.ErrorPagesMiddleware",
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
            ],
            "builtins": ["django.templatetags.i18n", "django.templatetags.static"],
        },
    }
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

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
JOBS_IN_FLIGHT_PER_SPACE = {"default": 4, "runs": 8, "ingest": 4}
JOB_HEARTBEAT_SECONDS = env.decimal("WEKNORA_JOB_HEARTBEAT_SECONDS", 2.0, at_least=0.1)
JOB_LEASE_SECONDS = env.decimal("WEKNORA_JOB_LEASE_SECONDS", 30.0, at_least=0.5)
JOB_ROWS_KEPT_DAYS = env.integer("WEKNORA_JOB_ROWS_KEPT_DAYS", 30, at_least=1)
HOUSEKEEPING_SECONDS = env.decimal("WEKNORA_HOUSEKEEPING_SECONDS", 5.0, at_least=0.2)
RUN_THREADS = env.integer("WEKNORA_RUN_THREADS", 12, at_least=1)
INGEST_THREADS = env.integer("WEKNORA_INGEST_THREADS", 3, at_least=1)

CELERY_BROKER_URL = REDIS_URL
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # Above the longest task: what is not acknowledged by then is delivered again.
    "visibility_timeout": 4 * 3600,
    "socket_connect_timeout": 3.0,
    "socket_keepalive": True,
    "health_check_interval": 25,
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
    "keep-house": {
        "task": "core.keep_house",
        "schedule": HOUSEKEEPING_SECONDS,
        "options": {"queue": "default", "expires": max(HOUSEKEEPING_SECONDS, 5.0)},
    },
}

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
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_ADAPTER = "accounts.adapter.AccountAdapter"
ACCOUNT_LOGOUT_ON_GET = False
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_LOGOUT_REDIRECT_URL = "/account/login/"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 8},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
GUARDIAN_RAISE_403 = False
ANONYMOUS_USER_NAME = None
ACCOUNTS_REGISTRATION = env.choice(
    "WEKNORA_REGISTRATION", "self_serve", choices=("self_serve", "invite_only")
)
ACCOUNTS_DEFAULT_SPACE = env.choice(
    "WEKNORA_DEFAULT_SPACE", "personal", choices=("personal", "none")
)
ACCOUNTS_MAX_OWNED_SPACES = env.integer("WEKNORA_MAX_OWNED_SPACES", 10, at_least=1)
FIRST_ADMIN_EMAIL = env.text("WEKNORA_ADMIN_EMAIL", "admin@example.com")

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
STATIC_URL = "/static/"
# Served from where they lie; only a web server in front needs them collected.
STATIC_ROOT = env.text("WEKNORA_STATIC_ROOT") or None
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
# Vendored files carry their version in the name.
WHITENOISE_IMMUTABLE_FILE_TEST = r"^/static/vendor/.+-\d+\.\d+"
MEDIA_ROOT = DATA_DIR / "files"
MAX_UPLOAD_BYTES = env.integer("WEKNORA_MAX_UPLOAD_MB", 100, at_least=1) * 1_000_000
MAX_QUESTION_CHARACTERS = env.integer("WEKNORA_MAX_QUESTION_CHARACTERS", 20_000, at_least=100)
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
