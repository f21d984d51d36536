"""A program in Python, on the client that openapi-python-client makes of the API's document, in the folder beside it:
``python session.py ADDRESS TOKEN``. It answers every file of a session with one fragment, waits for a line on its
input, and prints what it was told.
"""

import json
import sys
import uuid

from client import AuthenticatedClient, Client
from client.api.contest import classifier
from client.api.files import hand_out_file, next_file, submit_answer
from client.api.results import session_report
from client.api.sessions import open_session
from client.models import (
    AnsweredBody,
    EssayClassifierBody,
    EssayFileBody,
    EssayReportBody,
    MarkupSent,
    NextBody,
    OpenRequest,
    Problem,
    SessionBody,
)


def given(kind, answer):
    if not isinstance(answer, kind):
        raise SystemExit(f"no {kind.__name__}: {answer}")
    return answer


url, token = sys.argv[1:]
api = AuthenticatedClient(base_url=url, token=token)
opened = given(SessionBody, open_session.sync(client=api, body=OpenRequest(set_="train", files=2)))
codes = given(EssayClassifierBody, classifier.sync(client=Client(base_url=url))).classifier.to_dict()["subjects"]
statuses = []
while (following := given(NextBody, next_file.sync(opened.session_id, client=api))).number is not None:
    file = given(EssayFileBody, hand_out_file.sync(opened.session_id, following.number, client=api))
    content = file.content.to_dict()
    subject = content["meta"]["subject"]
    fragment = {"startSelection": 0, "endSelection": 5, "type": codes[subject][0]["code"]}
    markup = {"meta": {"subject": subject}, "text": content["text"], "selections": [fragment]}
    answered = submit_answer.sync(
        opened.session_id,
        following.number,
        client=api,
        body=MarkupSent.from_dict(markup),
        idempotency_key=str(uuid.uuid4()),
    )
    statuses.append(given(AnsweredBody, answered).receipt.status)
refused = given(Problem, hand_out_file.sync(opened.session_id, 99, client=api))
print("played", flush=True)
sys.stdin.readline()
report = given(EssayReportBody, session_report.sync(opened.session_id, client=api)).to_dict()
told = {"session_id": opened.session_id, "statuses": statuses, "refused": refused.error.code}
print(json.dumps(told | {"essays": report["result"]["essays"]}))
