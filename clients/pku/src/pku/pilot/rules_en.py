"""Rules for essays in English (subjects ``eng`` and ``eng-free``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pku.pilot.marker import ANY, BlockRule, ErrorRule, Place, Reach, SubjectRules

_FORMAL: Final = "Contracted forms are not used in an essay."
_OPINION: Final = (
    r"\b(?:I (?:\w+ )?(?:think|believe|consider|suppose|convinced|sure|certain)\b|(?:in|to) my (?:opinion|view|mind)\b"
    r"|from my point of view|as for me\b)"
)
_FIRST_REASON: Final = r"first(?:ly| of all)?\b|to (?:begin|start) with\b|in the (?:first|second|third) place\b"
_MORE_REASONS: Final = (
    r"second(?:ly)?\b|third(?:ly)?\b|besides\b|what is more\b|moreover\b|furthermore\b|in addition\b|also,|finally\b"
    r"|another (?:reason|argument|point)\b|there is also\b|last but not least\b"
)
_OTHERS: Final = (
    r"\b(?:(?:some|other|many|most) (?:\w+ )?(?:people|parents|persons|teenagers|students|adults|experts)\b"
    r"|others\b|opponents\b|there (?:are|is) (?:\w+ )?(?:people|those|an(?:other)? opinion|opinion)\b"
    r"|on the other hand\b"
    r"|(?:my|our) \w+(?: \w+)? (?:says?|thinks?|believes?) that\b)"
)
_DISAGREEMENT: Final = (
    r"\b(?:I (?:\w+ )?(?:disagree|(?:do not|don['’]t|cannot|can['’]t|can not) (?:\w+ )?(?:agree|share|think so))"
    r"|I (?:can )?understand (?:\w+ ){1,3}but\b|(?:this|their) (?:opinion|view|argument) is (?:wrong|mistaken))"
)

BLOCKS: Final = (
    BlockRule("ПРОБЛЕМА", ANY, Place.FIRST, Reach.PARAGRAPH),
    BlockRule("ВЫВОД", ANY, Place.LAST, Reach.PARAGRAPH),
    BlockRule("ОБОСНОВАНИЕ", _DISAGREEMENT, Place.BODY, Reach.PARAGRAPH),
    BlockRule("ЛМНЕНИЕ", _OPINION, Place.BODY),
    BlockRule("АРГУМЕНТ", rf"^(?:{_FIRST_REASON}|{_MORE_REASONS})", Place.BODY, Reach.RUN, 4),
    BlockRule("ПРМНЕНИЕ", _OTHERS, Place.BODY, Reach.RUN),
    BlockRule("ОБОСНОВАНИЕ", r"^(?:but|however|maybe|still)\b", Place.BODY, Reach.PARAGRAPH),
)
"""An opinion essay: problem, own opinion with reasons, another opinion, why it is not shared, conclusion."""


def _contraction(pattern: str, correction: str) -> ErrorRule:
    return ErrorRule("А.стиль", pattern, correction, "стяж", "Contraction", _FORMAL)


CONTRACTIONS: Final = (
    _contraction(r"\bcan['’]t\b", "cannot"),
    _contraction(r"\bwon['’]t\b", "will not"),
    _contraction(r"\bshan['’]t\b", "shall not"),
    _contraction(r"\b(\w+)n['’]t\b", r"\1 not"),
    _contraction(r"\blet['’]s\b", "let us"),
    _contraction(r"\b(it|that|he|she|there|here|what|who|where)['’]s\b", r"\1 is"),
    _contraction(r"\b(I)['’]m\b", r"\1 am"),
    _contraction(r"\b(\w+)['’]re\b", r"\1 are"),
    _contraction(r"\b(I|you|we|they|would|could|should)['’]ve\b", r"\1 have"),
    _contraction(r"\b(I|you|he|she|it|we|they)['’]ll\b", r"\1 will"),
    _contraction(r"\b(I|you|he|she|it|we|they)['’]d\b", r"\1 would"),
)
"""Forbidden in an exam essay; a free essay may use them."""
STYLE: Final = (
    *(
        ErrorRule("А.стиль", rf"\b{word}\b", better, "разг", "Colloquial", "The word is too informal for an essay.")
        for word, better in (
            *(("gonna", "going to"), ("wanna", "want to"), ("gotta", "have to"), ("kids", "children")),
            *(("stuff", "things"), ("ok", "all right"), ("guys", "people"), ("yeah", "yes"), ("cool", "excellent")),
        )
    ),
    ErrorRule(
        "А.стиль", "[\U0001f300-\U0001faff☀-➿][\U0001f3fb-\U0001f3ff\u200d\ufe0f]*", "", "", "Emoji in the essay"
    ),
)

_PREPOSITIONS: Final = (
    (r"\b(depend(?:s|ed|ing|ent)?) (?:from|of)\b", r"\1 on"),
    (r"\bproud (?:about|for|with)\b", "proud of"),
    (r"\b(spen[dt]\w*) for\b", r"\1 on"),
    (r"\bdiscuss(ed|es|ing)? about\b", r"discuss\1"),
    (r"\b(good|bad) in (?=\w+ing\b)", r"\1 at "),
    (r"\bangry (?:on|at) (?=her|him|me|them|us|you)", "angry with "),
    (r"\b(shout\w*) on\b", r"\1 at"),
    (r"\b(listen(?:s|ed|ing)?) (?=music\b|the |my |them\b|him\b|her\b)", r"\1 to "),
    (r"\b(wait(?:s|ed|ing)?) (anybody|somebody|me|him|her|them|us|you)\b", r"\1 for \2"),
    (r"\b(interested) (?:on|for|by)\b", r"\1 in"),
    (r"\b(consists?) from\b", r"\1 of"),
    (r"\b(married) with\b", r"\1 to"),
    (r"\b(different) than\b", r"\1 from"),
    (r"\b(responsible) of\b", r"\1 for"),
    (r"\b(look(?:s|ed|ing)?) on (?=\w)", r"\1 at "),
    (r"\b(arriv(?:e|es|ed|ing)) to\b", r"\1 at"),
    (r"\b(call(?:s|ed)?) to (?=(?:the |a )?(?:police|firemen|doctor|ambulance))", r"\1 "),
    (r"\bon (?=the (?:picture|photo)\b)", "in "),
    (r"\bin the Internet\b", "on the Internet"),
    (r"\b(?:in|from) (?:the )?other hand\b", "on the other hand"),
    (r"\b(the reason) of\b", r"\1 for"),
    (r"\bbecause of (?=(?:it|he|she|they|we|I|you) )", "because "),
)
_TENSES: Final = (
    (r"\b(if (?:I|you|we|they) )will (\w+)\b", r"\1\2", "видовр", "First conditional"),
    (r"\bif (?:\w+ ){1,3}will \w+\b", "", "видовр", "First conditional"),
    (r"\b(if (?:\w+ )?(?:I|you|he|she|it|we|they)) would (?:not )?\w+\b", "", "видовр", "Would after if"),
    (r"\b(when (?:I|you|he|she|it|we|they)) will (\w+)\b", r"\1 \2", "видовр", "Future after when"),
    (r"\bdid(?: not|n['’]t) (?P<at>\w+ed)\b", "", "видовр", "Verb form after did"),
    (r"\b(didn['’]t|did not) (?:slept|went|saw|knew|took|came|wrote|told)\b", "", "видовр", "Verb form after did"),
    (r"\bI am (?:agree|live|think|want)\b", "", "видовр", "Verb form"),
    (r"\b(had|have|has) became\b", r"\1 become", "видовр", "Past participle"),
    (r"\b(had|have|has) went\b", r"\1 gone", "видовр", "Past participle"),
    (r"\b(must|can|should|may|could|would) to (\w+)\b", r"\1 \2", "нел", "Infinitive after a modal verb"),
    (r"\bused to be (?=the |a )", "used to being ", "нел", "Gerund after be used to"),
)
_ADJECTIVE: Final = (
    r"(?:cheap|bigg|small|easi|fast|quick|strong|old|young|tall|long|short|hard|happi|smart|clean|dark|high|low|nic|saf"
    r"|wid|deep|poor|rich|great|kind|clever|slow|warm|cold|healthi|heavi|weak|loud|clos|larg)"
)
_FORMS: Final = (
    (rf"\b(much )?more ({_ADJECTIVE}e?r)\b", r"\1\2", "сравн", "Double comparative"),
    (rf"\bmost ({_ADJECTIVE}e?st)\b", r"\1", "сравн", "Double superlative"),
    (r"\bmore (better|worse|less)\b", r"\1", "сравн", "Double comparative"),
    (r"\b(gooder|more good)\b", "better", "сравн", "Irregular comparative"),
    (r"\b(information|advice|knowledge|homework|furniture|equipment|money)s\b", r"\1", "множ", "Uncountable noun"),
    (r"\b(child|wo?m)(?:rens|ens)\b", r"\1ren", "множ", "Irregular plural"),
    (r"\b(people|children) (?:is|was|has)\b", "", "множ", "Plural subject"),
    (r"\banother (\w+s)\b(?<!ss)", r"other \1", "множ", "Another with a plural"),
    (r"\ball what\b", "all that", "мест", "Relative pronoun"),
    (r"\bthings? (?P<at>what)\b", "that", "мест", "Relative pronoun"),
    (r"\b(people|person|man|woman|girl|boy|friend|human),? which\b", r"\1 who", "мест", "Which about a person"),
    (r"\bfeel(s)? myself\b", r"feel\1", "мест", "Reflexive pronoun"),
    (
        r"\b(people|it|he|she|we|they|you|I) (always|never|often|usually) (will|can|must)\b",
        r"\1 \3 \2",
        "поряд",
        "Word order",
    ),
    (r"\b(wakes?|woke|picks?|takes?) (up|out|off) (me|him|her|us|them|it)\b", r"\1 \3 \2", "поряд", "Word order"),
    (r"\btelled\b", "told", "слобр", "Irregular verb"),
    (r"\b(buy|teach|think|bring)ed\b", "", "слобр", "Irregular verb"),
    (r"\bgoed\b", "went", "слобр", "Irregular verb"),
    (r"\bthink critical\b", "think critically", "слобр", "Adverb"),
    (r"\b(behave\w?) (ideal|bad|polite)\b", r"\1 \2ly", "слобр", "Adverb"),
    (
        r"\b(every(?:one|body)|nobody|somebody|someone) (?P<at>make|choose|have|are|know|think|want|do|go)\b",
        "",
        "",
        "Singular subject",
    ),
    (
        r"\b(\w+[^s\W]s) is (?=very |bad|good|not |more |less )(?<![aiuchw]s is )(?<!ys is )(?<!mes is )",
        r"\1 are ",
        "",
        "Agreement",
    ),
    (r"\b(people|they|we) who wants\b|\b(?:they|we|people) (?:has|was|does)\b", "", "", "Agreement"),
    (r"(?:^|(?<=[.,] )|(?<=\n))(?:he|she|it) (?:have|do|go|make|want|think)\b", "", "", "Agreement"),
    (r"\b(?:did|do|does)(?:n['’]t| not) \w+ (?:nothing|nobody|nowhere)\b", "", "", "Double negative"),
)
_ARTICLES: Final = (
    (r"\ban? (?:water|advice|information|homework|progress|weather|money|paradise)\b", ""),
    (r"\b(?:is|was) very (?:\w+ )(?:problem|question|thing|idea|book|film|topic|place|day)\b", ""),
    (r"\ba (?=[aei]\w)(?!eu|ew)", "an "),
    (r"\ban (?=(?-i:[bcdfgjklmnpqrstvwxz])\w)", "a "),
    (r"\bhave a (lunch|breakfast|dinner)\b", r"have \1"),
    (r"\bin the (?=conclusion\b)", "in "),
    (r"\bsuch (?=(?:sound|problem|situation|question|person|book|film|idea)\b)", "such a "),
)
GRAMMAR: Final = (
    *(ErrorRule("А.грамм", pattern, right, "пред", "Preposition") for pattern, right in _PREPOSITIONS),
    *(ErrorRule("А.грамм", *row) for row in _TENSES),
    *(ErrorRule("А.грамм", *row) for row in _FORMS),
    *(ErrorRule("А.грамм", pattern, right, "арт", "Article") for pattern, right in _ARTICLES),
)

VOCABULARY: Final = (
    *(
        ErrorRule("А.лекс", pattern, right, subtype, comment)
        for pattern, right, subtype, comment in (
            (r"\bactive rest\b", "active holidays", "сочет", "A literal translation"),
            (r"\bno need in\b", "no need for", "сочет", "Collocation"),
            (r"\bbig influence\b", "great influence", "сочет", "Collocation"),
            (r"\bmake (sport|homework)\b", r"do \1", "сочет", "Make or do"),
            (r"\bdo a mistake\b", "make a mistake", "сочет", "Make or do"),
            (r"\bstrong (rain|snow)\b", r"heavy \1", "сочет", "Collocation"),
            (r"\bsaid (me|him|her|us|them)\b", r"told \1", "слово", "Say or tell"),
            (r"\bwrote off\b", "copied", "послелог", "A literal translation"),
            (r"\b(?:is|are) (?:very )?(?P<at>comfortable)(?=,| and| for| to)", "convenient", "конт", "Convenient"),
            (r"(?:^|(?<=[.!?] ))all (family|class)\b", r"the whole \1", "сочет", "The whole"),
            (r"\b((?!had|that)[a-z]{2,}) \1\b", r"\1", "", "The same word twice"),
        )
    ),
)

_MISSPELT: Final = {
    "usefull": "useful", "beautifull": "beautiful", "carefull": "careful", "untill": "until", "wich": "which",
    "becouse": "because", "becase": "because", "beacause": "because", "goverment": "government", "foto": "photo",
    "enviroment": "environment", "dissapointed": "disappointed", "dissappear": "disappear", "alot": "a lot",
    "diffrent": "different", "diferent": "different", "recieve": "receive", "recieved": "received",
    "beleive": "believe", "belive": "believe", "freind": "friend", "freinds": "friends", "writting": "writing",
    "tommorow": "tomorrow", "tomorow": "tomorrow", "necesary": "necessary", "neccessary": "necessary",
    "definately": "definitely", "seperate": "separate", "occured": "occurred", "succes": "success",
    "succesful": "successful", "successfull": "successful", "comunication": "communication", "thier": "their",
    "oppinion": "opinion", "oportunity": "opportunity", "posible": "possible", "realy": "really",
    "knowlege": "knowledge", "languege": "language", "adress": "address", "tecnology": "technology",
    "tehnology": "technology", "intresting": "interesting", "interessting": "interesting", "studing": "studying",
    "begining": "beginning", "cant": "cannot", "dont": "do not", "everyting": "everything", "nowdays": "nowadays",
    "parants": "parents", "childrens": "children", "peoples": "people", "truely": "truly", "wether": "whether",
}  # fmt: skip
SPELLING: Final = (
    *(ErrorRule("А.орф", rf"\b{wrong}\b", right, "", "Spelling") for wrong, right in _MISSPELT.items()),
    ErrorRule("А.орф", r"(?<![.\w'’-])(?-i:i)(?![.\w'’-])", "I", "", "The pronoun I has a capital letter"),
)

_LINKERS: Final = (
    r"Firstly|Secondly|Thirdly|However|Moreover|Furthermore|Therefore|Nevertheless|Besides|In conclusion|To sum up"
    r"|On the other hand|In my opinion|For example|For instance"
)
PUNCTUATION: Final = (
    ErrorRule(
        "А.пункт",
        rf"(?:^|(?<=[.!?] )|(?<=\n))(?-i:({_LINKERS}))(?= [a-zI])(?! of\b)",
        r"\1,",
        "",
        "Comma after the introductory words",
    ),
    ErrorRule("А.пункт", r"\b(sure|think|believe|know|say|says|said), that\b", r"\1 that", "", "No comma before that"),
    ErrorRule("А.пункт", r"\w(?P<at> [,;])(?=\s)", "", "", "No blank before a comma"),
)

_FREE_ERRORS: Final = (*SPELLING, *STYLE, *GRAMMAR, *VOCABULARY, *PUNCTUATION)
RULES_BY_SUBJECT: Final[Mapping[str, SubjectRules]] = {
    "eng": SubjectRules(blocks=BLOCKS, errors=(*CONTRACTIONS, *_FREE_ERRORS)),
    "eng-free": SubjectRules(blocks=BLOCKS, errors=_FREE_ERRORS),
}
