"""An agent for Fairlead in plain Python: python3 agent.py 8123, then `agents: { mine: { url: "http://127.0.0.1:8123/" } }`."""
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def answer(turn):
    """One turn: the whole input comes in, the whole answer goes out; nothing is kept between turns but `state`."""
    wishes = [text["text"] for text in turn["requirements"]["texts"]]
    said = {one["questionId"]: one["text"] or one["choice"] for one in turn["answers"]}
    if "tone" not in said:
        return {"ask": [{"questionId": "tone", "kind": "question", "mode": "blocking", "question": "In which tone?"}]}
    body = "\n".join(["Tone: " + said["tone"], *("- " + wish for wish in wishes)])
    return {"understood": "%d text(s) in force" % len(wishes), "report": {"body": body, "contentType": "text/markdown"}}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        turn = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps({"for": turn["for"], **answer(turn)}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
