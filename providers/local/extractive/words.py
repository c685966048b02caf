"""Lists of small words: the ones that give a language away, and the ones that carry no meaning."""

from __future__ import annotations


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTION_WORDS: dict[str, frozenset[str]] = {
    "en": _set(
        "the of and to in is was for what which how who does did are with by when where why do it can"
    ),
    "de": _set("der die das und ist wie von den für mit ein eine welche wer wurde nicht"),
    "fr": _set("le la les des du et est une dans pour que quel quelle qui par sur"),
    "es": _set("el la los las del y es una en para que cuál qué quién por con"),
    "it": _set("il lo gli della di e è una che per quale chi con sono nel del"),
    "pt": _set("o os da do das e é uma em para que qual quem por com não"),
    "nl": _set("de het een en van is voor met wat welke wie werd niet op te"),
}
STOP_WORDS = _set(
    """
    a about above after all also an and any are as at be been before being below between both but
    by can could did do does doing down during each few for from further give had has have having
    he her here him his how i if in into is it its itself just many may me might more most much must
    my name named no nor not of off on once only or other our out over please same shall she should
    so some such tell than that the their them then there these they this those through to too under
    until up us very was we were what when where which while who whom whose why will with would you
    your
    """
)
STOP_HAN = frozenset("的了是在有和与及吗呢吧啊么什怎样哪些谁几个多少为何如请问它他她这那被把对何")
