"""The map of the pages of skills."""

from django.urls import URLPattern, URLResolver, path

from sandbox import skill_views as views

urlpatterns: list[URLPattern | URLResolver] = [
    path("skills/", views.skills, name="skills"),
    path("skills/upload/", views.skill_upload, name="skill_upload"),
    path("skills/install/", views.skill_install, name="skill_install"),
    path("skills/<uuid:skill_id>/", views.skill, name="skill"),
    path("skills/<uuid:skill_id>/switch/", views.skill_switch, name="skill_switch"),
    path("skills/<uuid:skill_id>/remove/", views.skill_remove, name="skill_remove"),
    path("skills/<uuid:skill_id>/restore/", views.skill_restore, name="skill_restore"),
    path("skills/<uuid:skill_id>/variable/", views.skill_variable, name="skill_variable"),
    path("skills/version/<uuid:skill_version_id>/agree/", views.skill_agree, name="skill_agree"),
    path(
        "skills/version/<uuid:skill_version_id>/decline/", views.skill_decline, name="skill_decline"
    ),
    path("skills/version/<uuid:skill_version_id>/use/", views.skill_use, name="skill_use"),
]
