"""Icons and form controls."""

from __future__ import annotations

from django import forms
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from core.templatetags.ui import control, icon, markdown


class Sample(forms.Form):
    email = forms.EmailField(
        label="Email", widget=forms.EmailInput(attrs={"placeholder": "Email address"})
    )
    secret = forms.CharField(widget=forms.PasswordInput, help_text="Eight characters.")
    note = forms.CharField(required=False, widget=forms.Textarea(attrs={"placeholder": "Why?"}))
    agree = forms.BooleanField(label="I agree")


def field_html(form: forms.Form, name: str) -> str:
    return render_to_string("ui/field.html", {"field": form[name]})


def test_icon_points_into_the_sprite_and_is_hidden():
    html = icon("check", "i-sm")
    assert 'class="i i-sm" aria-hidden="true"' in html
    assert html.endswith('.svg#check"></use></svg>')


def test_icon_name_cannot_break_out():
    assert "<script>" not in icon('"><script>')


def test_markdown_of_a_passage_is_rendered_and_escaped():
    assert markdown("**b** <i>") == "<p><strong>b</strong> &lt;i&gt;</p>\n"


def test_safe_html_is_not_rendered_again():
    assert markdown(SafeString("<mark>*x*</mark>")) == "<mark>*x*</mark>"


def test_placeholder_that_repeats_the_label_is_dropped():
    assert "placeholder" not in control(Sample()["email"])


def test_other_placeholders_stay():
    assert 'placeholder="Why?"' in control(Sample()["note"])


def test_controls_get_the_class_of_their_kind():
    form = Sample()
    assert 'class="input"' in control(form["email"])
    assert 'class="textarea"' in control(form["note"])


def test_error_is_tied_to_its_control():
    html = field_html(Sample({"secret": ""}), "secret")
    assert 'aria-invalid="true"' in html
    assert 'aria-describedby="id_secret_helptext id_secret_error"' in html
    assert 'id="id_secret_helptext"' in html
    assert 'id="id_secret_error"' in html
    assert "This field is required." in html


def test_password_can_be_shown():
    assert 'data-reveal="id_secret"' in field_html(Sample(), "secret")


def test_optional_fields_say_so():
    assert "optional" in field_html(Sample(), "note")
    assert "optional" not in field_html(Sample(), "email")


def test_label_of_a_checkbox_stands_behind_it():
    html = field_html(Sample(), "agree")
    assert html.index("<input") < html.index("I agree")
