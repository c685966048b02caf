"""Words that carry no meaning of their own, by language; they also tell languages apart."""

from __future__ import annotations

from typing import Literal

Language = Literal["en", "de", "fr", "es", "it", "pt", "nl", "ru"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_WORDS: dict[Language, frozenset[str]] = {
    "en": _words(
        "a about above after again against all also am an and any are as at be because been before"
        " being below between both but by can cannot could did do does doing down during each few"
        " for from further had has have having he her here hers herself him himself his how i if in"
        " into is it its itself let many me more most much my myself no nor not of off on once only"
        " or other ought our ours ourselves out over own same shall she should so some such than"
        " that the their theirs them themselves then there these they this those through to too"
        " under until up upon very was we were what when where which while who whom whose why will"
        " with would you your yours yourself yourselves"
    ),
    "de": _words(
        "aber alle als also am an auch auf aus bei bin bis da damit das dass dem den denn der des"
        " die dies diese dieser dieses doch dort du durch ein eine einem einen einer eines er es"
        " für gegen hat haben hatte ich ihr ihre im in ist ja jede jeder kann kein keine mit muss"
        " nach nicht noch nur ob oder ohne sehr sein seine sich sie sind so soll sollte über um und"
        " uns unter vom von vor wann war waren warum was wegen welche welcher welches wem wen wenn"
        " wer werden wie wieder wir wird wo wurde wurden zu zum zur zwischen"
    ),
    "fr": _words(
        "à au aussi aux avec avoir ce ces cet cette chez comme comment dans de des donc dont du"
        " elle elles en est et été être eux fait il ils je la le les leur leurs lui ma mais me même"
        " mes moi mon ne nos notre nous on ont ou où par pas peut plus pour pourquoi qu quand que"
        " quel quelle quelles quels qui quoi sa sans se sera ses si son sont sous sur ta te tes"
        " toi ton tous tout tu un une vos votre vous y"
    ),
    "es": _words(
        "a al algo antes como cómo con cuál cuáles cuándo cuándo cuánto cuántos de del desde donde"
        " dónde durante e el él ella ellas ellos en entre era es esa ese eso esta está estas este"
        " esto estos fue fueron ha había han hasta hay la las le les lo los más me mi muy no nos o"
        " otra otro para pero por porque que qué quién quiénes se según ser si sí sin sobre son su"
        " sus también te tiene todo todos tu un una uno y ya"
    ),
    "it": _words(
        "a ad ai al alla alle anche che chi ci come con cosa cui da dal dalla dei del della delle"
        " di dove e è ed era essere fra gli ha hanno i il in io la le lei lo loro lui ma mi molto"
        " ne nei nel nella non o per perché più quale quali quando quanto quella quello questa"
        " questo se sei si sia sono sta su sua sue sul sulla suo tra tu un una uno vi"
    ),
    "pt": _words(
        "a ao aos as às até com como da das de dela dele do dos e é ela elas ele eles em entre era"
        " essa esse esta está este eu foi foram há isso isto já lhe mais mas me mesmo meu minha"
        " muito na não nas nem no nos num numa o onde os ou para pela pelas pelo pelos por porque"
        " quais qual quando quanto quantos que quem são se sem ser será seu seus só sua suas também"
        " tem um uma você"
    ),
    "nl": _words(
        "aan al als bij daar dan dat de deze die dit doch door dus een en er ge geen had heb hebben"
        " heeft het hier hij hoe hun ik in is ja je kan kunnen maar me meer men met mij mijn moet"
        " na naar niet nog nu of om onder ons ook op over te tegen toen tot uit van veel voor waar"
        " waarom wanneer want waren was wat we welke werd wie wij worden wordt zal ze zelf zich zij"
        " zijn zo zonder"
    ),
    "ru": _words(
        "а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да для"
        " до его ее ей если есть еще же за здесь и из или им их к как какая какие какой когда кто"
        " ли мне может мы на над надо не него нее нет ни них но о об однако он она они оно от по"
        " под почему при с со так также такой там то того тоже той только том ты у уже хотя чего"
        " чей чем что чтобы эта эти это этого этой этом этот я"
    ),
}

CHINESE = _words(
    "的 了 是 在 和 有 与 與 及 或 就 都 而 也 吗 嗎 呢 吧 啊 着 著 被 把 对 對 从 從 到 于 於 以 为 為 之"
    " 其 中 这 這 那 这个 這個 那个 那個 一个 一個 上 下 个 個 等 并 並 但 不 没有 沒有 我 你 他 她 它 们"
    " 們 我们 我們 你们 他们 他們 什么 什麼 哪 哪些 哪个 哪個 哪里 哪裡 哪儿 谁 誰 多少 几 幾 怎么 怎麼"
    " 怎样 怎樣 如何 为什么 為什麼 为何 何 何时 何時 请问 請問 是否 可以 什么样 怎么样 由 所 将 將 会 會"
    " 能 来 來 去 说 說 年 月 日 时 時 哪一 哪年 些 某 则 則 该 該 此 还 還"
)
JAPANESE_PAIRS = _words(
    "です すか ます ませ せん した まし たか して する され れた れる てい いる いた った って から まで"
    " など この その あの どの どこ なに ある あり なり なる こと もの ため よう には では とは との にお"
    " おい いて につ つい とい いう いつ だれ どん んな くら らい いく くつ のは のか ので のに のを のが"
    " るの たの ので です でし なの いの らの られ たり ない なか でき きる ほど はい にな にも でも とも"
    " より へは れて どう うし しま すか ょう でし はど はな はい"
)
"""Pairs of hiragana that belong to grammar and questions."""
KOREAN_PAIRS = _words(
    "에서 으로 까지 부터 에게 한테 처럼 보다 마다 이나 하고 입니 니다 니까 습니 인가 가요 까요 하는 있는"
    " 되는 한다 된다 이다 했다 었다 았다 합니 됩니 있습 무엇 어디 언제 누구 누가 어떤 어느 얼마 얼마"
    " 인지 는지 은지 세요 나요 지요 니까 라는 이라 하며 하여 해서 위한 따라"
)
KOREAN_PARTICLES: tuple[str, ...] = tuple(
    sorted(
        [
            "에서는",
            "에서도",
            "으로는",
            "으로도",
            "에게서",
            "까지는",
            "부터는",
            "이라는",
            "라는",
            "에서",
            "에게",
            "으로",
            "까지",
            "부터",
            "처럼",
            "보다",
            "마다",
            "이나",
            "이며",
            "하고",
            "은",
            "는",
            "이",
            "가",
            "을",
            "를",
            "의",
            "에",
            "로",
            "와",
            "과",
            "도",
            "만",
            "며",
            "입니다",
            "입니까",
            "인가요",
            "이었다",
            "이다",
            "였다",
        ],
        key=len,
        reverse=True,
    )
)
"""What stands behind a noun; the longest first."""
