"""Tests of the client against a stub of the API. Run: python3 -m unittest messaging_service_test"""

import copy
import datetime
import hashlib
import hmac
import inspect
import json
import pickle
import platform
import threading
import time
import unittest
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from messaging_service import ApiError, MessagingClient, WebhookError, verify_webhook

META = {"request_id": "req_1", "api_version": "v1"}


def success(data, **more):
    return 200, {}, {"success": True, "data": data, "meta": META, **more}


def page(data, next_cursor=None):
    pagination = {"page": 1, "limit": 2, "total": 3, "pages": 2, "has_more": next_cursor is not None}
    return success(data, pagination=pagination, meta={**META, "next_cursor": next_cursor})


def refusal(status, headers=None, reason=None):
    details = {"reason": reason} if reason else {}
    error = {"type": "api_error", "code": "some_code", "message": "No.", "param": "to", "details": details}
    return status, headers or {}, {"success": False, "error": error, "meta": META}


LOST = None
# An error whose connection is lost within the body.
CUT = (503, {"content-length": "100"}, b"{\"succ")


class Stub:
    """Gives these responses in turn, and repeats the last. Bytes are written as they are, and nothing after them."""

    def __init__(self, *answers):
        self.seen = []
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                length = int(self.headers.get("content-length") or 0)
                answer = answers[min(len(stub.seen), len(answers) - 1)]
                stub.seen.append((self.command, self.path, dict(self.headers), self.rfile.read(length)))
                if answer is LOST:
                    self.connection.close()
                    return
                if isinstance(answer, bytes):
                    self.wfile.write(answer)
                    self.close_connection = True
                    return
                status, headers, body = answer
                content = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in {"content-length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)
                self.close_connection = True

            do_GET = do_POST = do_PATCH = do_DELETE = answer

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.handle_error = lambda *_: None
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        url = f"http://127.0.0.1:{self.server.server_address[1]}/api/v1"
        self.client = MessagingClient(url, "ds_live_test", backoff_s=0.001)

    def keys(self):
        return [headers.get("Idempotency-Key") for _, _, headers, _ in self.seen]


class Client(unittest.TestCase):
    def stub(self, *answers):
        stub = Stub(*answers)
        self.addCleanup(stub.server.server_close)
        self.addCleanup(stub.server.shutdown)
        return stub

    def test_sends_authenticated_json_with_a_key(self):
        stub = self.stub(success({"id": "msg_1"}))
        self.assertEqual(stub.client.messages.send(to="+14155550123", from_="DEMO", body="Hello"), {"id": "msg_1"})
        ((method, path, headers, body),) = stub.seen
        self.assertEqual((method, path), ("POST", "/api/v1/messages/send"))
        self.assertEqual(headers["Authorization"], "Bearer ds_live_test")
        self.assertEqual(headers["Prefer"], "handling=strict")
        self.assertEqual(json.loads(body), {"to": "+14155550123", "from": "DEMO", "body": "Hello"})
        self.assertEqual(len(headers["Idempotency-Key"]), 36)

    def test_cancels_a_message(self):
        canceled = {"id": "msg_1", "status": "failed", "error": {"code": "canceled"}, "cost": 0}
        stub = self.stub(success(canceled))
        self.assertEqual(stub.client.messages.cancel("msg_1"), canceled)
        method, path, headers, body = stub.seen[0]
        self.assertEqual((method, path, body), ("POST", "/api/v1/messages/msg_1/cancel", b""))
        self.assertNotIn("Idempotency-Key", headers)

    def test_reschedules_a_message(self):
        message = {"id": "msg_1", "status": "pending", "scheduled_at": "2026-02-01T19:00:00.000Z"}
        stub = self.stub(success(message), success(message))
        self.assertEqual(stub.client.messages.reschedule("msg_1", send_at="2026-02-01T20:00:00+01:00"), message)
        stub.client.messages.reschedule("msg_1", send_at=None, quiet_hours="ignore")
        bodies = [{"send_at": "2026-02-01T20:00:00+01:00"}, {"send_at": None, "quiet_hours": "ignore"}]
        for (method, path, headers, body), expected in zip(stub.seen, bodies):
            self.assertEqual((method, path), ("POST", "/api/v1/messages/msg_1/reschedule"))
            self.assertEqual(json.loads(body), expected)
            self.assertNotIn("Idempotency-Key", headers)

    def test_redacts_a_message(self):
        redacted = {"id": "msg_1", "status": "delivered", "body": ""}
        stub = self.stub(success(redacted))
        self.assertEqual(stub.client.messages.redact("msg_1"), redacted)
        method, path, headers, body = stub.seen[0]
        self.assertEqual((method, path, body), ("POST", "/api/v1/messages/msg_1/redact", b""))
        self.assertNotIn("Idempotency-Key", headers)

    def test_canceling_too_late_is_an_error_with_its_reason(self):
        stub = self.stub(refusal(400, reason="not_cancelable"))
        with self.assertRaises(ApiError) as raised:
            stub.client.messages.cancel("msg_1")
        self.assertEqual((raised.exception.status, raised.exception.reason), (400, "not_cancelable"))

    def test_repeats_with_the_same_key(self):
        limited = refusal(429, {"retry-after": "0"})
        cut_success = (201, {"content-length": "100"}, b"{")
        for answers in ((refusal(503), LOST, limited), (refusal(408), refusal(408), LOST)):
            stub = self.stub(*answers, success({"id": "msg_1"}))
            self.assertEqual(stub.client.messages.send(to="+1", from_="A", body="B")["id"], "msg_1")
            self.assertEqual(len(stub.seen), 4)
            self.assertEqual(len(set(stub.keys())), 1)
        stub = self.stub(CUT, cut_success, success({"id": "msg_1"}))
        self.assertEqual(stub.client.messages.send(to="+1", from_="A", body="B")["id"], "msg_1")
        self.assertEqual(len(stub.seen), 3)
        self.assertEqual(len(set(stub.keys())), 1)

    def test_repeats_after_headers_that_break_off(self):
        for head in ("HTTP/1.1 201 Created\r\nConte", "HTTP/1.1 201 Created\r\n", "HTTP/1.1 20"):
            stub = self.stub(head.encode(), success({"id": "msg_1"}))
            self.assertEqual(stub.client.messages.send(to="+1", from_="A", body="B")["id"], "msg_1", head)
            self.assertEqual((len(stub.seen), len(set(stub.keys()))), (2, 1), head)
            stub = self.stub(head.encode())
            with self.assertRaises(OSError):
                stub.client.webhooks.test("whe_1")

    def test_keeps_the_callers_key(self):
        # The service refuses an empty one.
        for key in ("order-1", ""):
            stub = self.stub(success({}))
            stub.client.messages.send(to="+1", from_="A", body="B", idempotency_key=key)
            self.assertEqual(stub.keys(), [key])

    def test_does_not_repeat_what_is_not_safe(self):
        for answer in (refusal(503), refusal(408), LOST, CUT):
            stub = self.stub(answer, success({}))
            with self.assertRaises((ApiError, OSError)):
                stub.client.webhooks.test("whe_1")
            self.assertEqual(len(stub.seen), 1)

    def test_does_not_repeat_a_refusal_or_a_long_wait(self):
        for answer in (refusal(400), refusal(429), refusal(429, {"retry-after": "3600"})):
            stub = self.stub(answer, success({}))
            with self.assertRaises(ApiError):
                stub.client.account.get()
            self.assertEqual(len(stub.seen), 1)

    def test_errors_carry_their_facts(self):
        stub = self.stub(refusal(429, {"retry-after": "3600"}, "daily_limit"))
        with self.assertRaises(ApiError) as caught:
            stub.client.messages.send(to="+1", from_="A", body="B")
        error = caught.exception
        self.assertEqual((error.status, error.code, error.reason, error.param), (429, "some_code", "daily_limit", "to"))
        self.assertEqual((str(error), error.request_id, error.retry_after_s), ("No.", "req_1", 3600.0))

    def test_errors_survive_a_queue_of_tasks(self):
        error = {"type": "rate_limit_error", "code": "c", "message": "No.", "param": "to", "details": {"reason": "r"}}
        sent = ApiError(429, error, "req_1", 2.0)
        for got in (pickle.loads(pickle.dumps(sent)), copy.copy(sent)):
            self.assertEqual((str(got), vars(got)), (str(sent), vars(sent)))
        refused = pickle.loads(pickle.dumps(WebhookError("mismatch", "No.")))
        self.assertEqual((refused.reason, str(refused)), ("mismatch", "No."))

    def test_a_page_of_a_proxy_is_an_error(self):
        resembling = {"success": True, "data": {}}
        deep = b"[" * 200_000
        pages = ((200, b"<html>"), (413, b"<html>"), (200, {"success": True}), (200, resembling), (200, deep))
        for status, body in pages:
            stub = self.stub((status, {}, body))
            with self.assertRaises(ApiError) as caught:
                stub.client.account.get()
            self.assertEqual((caught.exception.status, caught.exception.code), (status, "unexpected_answer"))

    def test_a_page_of_another_server_suggests_to_check_the_base_url(self):
        advised = []
        for status in (200, 404, 502):
            stub = self.stub((status, {}, b"<html>"))
            with self.assertRaises(ApiError) as raised:
                stub.client.account.get()
            advised.append(str(raised.exception).endswith("does not come from the service. Check the base URL."))
        self.assertEqual(advised, [True, True, False])

    def test_a_key_that_no_header_takes_is_refused_and_not_quoted(self):
        for key in ("ds_live_a\nb", "ds_live_\u043a"):
            with self.assertRaises(ValueError) as raised:
                MessagingClient("http://localhost", key)
            self.assertEqual(str(raised.exception), "The API key has characters that no key has.")

    def test_a_key_or_base_url_that_is_missing_or_wrong_is_named(self):
        for base_url, api_key, message in (
            ("http://localhost", None, "The API key is missing."),
            ("http://localhost", " ", "The API key is missing."),
            (None, "ds_live_test", "The base URL is missing."),
            ("", "ds_live_test", "The base URL is missing."),
            ("localhost:3000/api/v1", "ds_live_test", "The base URL must be one of http:// or https://."),
            ("http://localhost/api v1", "ds_live_test", "The base URL must be one of http:// or https://."),
        ):
            with self.assertRaises(ValueError) as raised:
                MessagingClient(base_url, api_key)
            self.assertEqual(str(raised.exception), message)

    def test_a_line_end_behind_a_key_as_a_file_has_one_does_not_count(self):
        stub = self.stub(success({}))
        base_url = f"http://127.0.0.1:{stub.server.server_address[1]}/api/v1/\r\n"
        MessagingClient(base_url, "ds_live_test\r\n").account.get()
        self.assertEqual(stub.seen[0][2]["Authorization"], "Bearer ds_live_test")

    def test_requests_name_the_client_its_version_and_that_of_python_after_the_callers_own_program(self):
        package = json.loads((Path(__file__).parents[1] / "package.json").read_text())
        own = f"messaging-service-python/{package['version']} python/{platform.python_version()}"
        stub = self.stub(refusal(503), success({}))
        stub.client.account.get()
        self.assertEqual([headers["User-Agent"] for _, _, headers, _ in stub.seen], [own, own])
        named = self.stub(success({}))
        base_url = f"http://127.0.0.1:{named.server.server_address[1]}/api/v1"
        MessagingClient(base_url, "ds_live_test", user_agent="shop/1.2").account.get()
        self.assertEqual(named.seen[0][2]["User-Agent"], f"shop/1.2 {own}")

    def test_a_name_that_no_header_has_is_refused(self):
        for name in ("", " shop", "shop\r\nx-role: owner", "магазин"):
            with self.assertRaisesRegex(ValueError, "user_agent must be visible ASCII"):
                MessagingClient("http://localhost", "ds_live_test", user_agent=name)

    def test_an_error_of_a_proxy_that_resembles_one_of_the_service_is_one_too(self):
        busy = {"code": "busy", "message": "Busy."}
        for body in (
            {"error": {"code": 503, "message": "Busy."}},
            {"error": {**busy, "details": {}}},
            {"success": False, "error": busy},
            {"success": False, "error": {**busy, "details": None}},
            {"success": False, "error": {**busy, "details": ["no"]}},
            {"success": False, "error": {"code": "busy", "details": {}}},
            {"success": False, "error": []},
            [],
        ):
            stub = self.stub((503, {"retry-after": "90"}, body))
            with self.assertRaises(ApiError) as caught:
                stub.client.account.get()
            error = caught.exception
            self.assertEqual((error.status, error.code, error.reason), (503, "unexpected_answer", None), body)
            self.assertEqual((error.details, error.retry_after_s), ({}, 90.0))

    def test_an_error_without_usable_details_or_meta_is_one_too(self):
        self.assertEqual(ApiError(503, {"details": ["no"]}, None, None).details, {})
        status, headers, body = refusal(400, reason="some_reason")
        stub = self.stub((status, headers, {**body, "meta": ["no"]}))
        with self.assertRaises(ApiError) as caught:
            stub.client.account.get()
        self.assertEqual((caught.exception.reason, caught.exception.request_id), ("some_reason", None))

    def test_retry_after_is_a_number_or_a_date_of_any_form(self):
        for value in ("Sat, 01 Jan 2000 00:00:00", "Sat, 01 Jan 2000 00:00:00 -0000", "Sat, 01 Jan 2000 00:00:00 GMT"):
            stub = self.stub(refusal(429, {"retry-after": value}), success({"id": "msg_1"}))
            self.assertEqual(stub.client.messages.send(to="+1", from_="A", body="B")["id"], "msg_1", value)
        far_zone = "Sat, 01 Jan 2000 00:00:00 +99999999999999"
        for value in ("soon", "Sat, 41 Jan 2000 00:00:00", "Sat, 01 Jan 2000 00:00:00 +9999", far_zone, ",", "9" * 400):
            stub = self.stub(refusal(429, {"retry-after": value}), success({}))
            with self.assertRaises(ApiError):
                stub.client.account.get()
            self.assertEqual(len(stub.seen), 1, value)

    def test_redirects_are_not_followed(self):
        for status in (301, 302, 303, 307, 308):
            for location in ("http://127.0.0.1:9/", "/api/v1/messages/msg_1", "http://["):
                stub = self.stub((status, {"location": location}, b""), success({"id": "msg_1"}))
                with self.assertRaises(ApiError) as caught:
                    stub.client.messages.send(to="+1", from_="A", body="B")
                self.assertEqual((caught.exception.status, caught.exception.code), (status, "unexpected_answer"))
                self.assertEqual(len(stub.seen), 1)

    def test_lists_are_read_over_all_pages_by_cursors(self):
        stub = self.stub(page([{"id": "c"}, {"id": "b"}], "c1"), page([{"id": "a"}]))
        messages = stub.client.messages.list(status="failed", to=None)
        self.assertEqual([item["id"] for item in messages], ["c", "b", "a"])
        self.assertEqual(
            [path for _, path, _, _ in stub.seen],
            ["/api/v1/messages?status=failed&page=1", "/api/v1/messages?status=failed&cursor=c1"],
        )

    def test_metadata_is_a_filter_pair_by_pair(self):
        stub = self.stub(page([]))
        stub.client.messages.list(metadata={"order": "4711", "shop": "north"})
        stub.client.messages.list(metadata={"order": None, "shop": "north"})
        self.assertEqual(
            [path for _, path, _, _ in stub.seen],
            [
                "/api/v1/messages?metadata%5Border%5D=4711&metadata%5Bshop%5D=north&page=1",
                "/api/v1/messages?metadata%5Bshop%5D=north&page=1",
            ],
        )

    def test_times_are_written_as_the_service_reads_them(self):
        at = datetime.datetime(2026, 1, 31, 12, 0, tzinfo=datetime.timezone.utc)
        stub = self.stub(page([]), success({}))
        stub.client.messages.list(created_after=at, created_before="2026-02-01T00:00:00Z")
        stub.client.messages.send(to="+1", from_="A", body="B", send_at=at)
        stub.client.webhooks.recover("whe_1", since=at)
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(stub.seen[0][1]).query)
        self.assertEqual(query["created_after"], ["2026-01-31T12:00:00+00:00"])
        self.assertEqual(query["created_before"], ["2026-02-01T00:00:00Z"])
        self.assertEqual(json.loads(stub.seen[1][3])["send_at"], "2026-01-31T12:00:00+00:00")
        self.assertEqual(json.loads(stub.seen[2][3])["since"], "2026-01-31T12:00:00+00:00")

    def test_a_number_that_json_does_not_have_is_refused_before_anything_is_sent(self):
        stub = self.stub(success({}))
        for number in (float("nan"), float("inf")):
            with self.assertRaises(ValueError) as raised:
                stub.client.api_keys.update("key_1", daily_limit=number)
            self.assertNotIsInstance(raised.exception, ApiError)
        self.assertEqual(stub.seen, [])

    def test_a_revoked_key_takes_its_descendants_along_only_when_asked(self):
        stub = self.stub(success({}))
        stub.client.api_keys.revoke("key_1")
        stub.client.api_keys.revoke("key_1", cascade=True)
        self.assertEqual(
            [path for _, path, _, _ in stub.seen], ["/api/v1/api-keys/key_1", "/api/v1/api-keys/key_1?cascade=true"]
        )

    def test_an_id_that_would_address_another_operation_is_refused(self):
        stub = self.stub(success({}))
        for message_id in ("", ".", ".."):
            with self.assertRaises(ValueError):
                stub.client.messages.get(message_id)
        self.assertEqual(stub.seen, [])

    def test_every_operation_of_the_document_has_a_method(self):
        stub = self.stub(success([], pagination={"has_more": False}))
        unpaged = self.stub(success({"data": []}))
        for name, resource in vars(stub.client).items():
            for method, function in inspect.getmembers(resource, inspect.ismethod):
                if method.startswith("_"):
                    continue
                names = inspect.signature(function).parameters
                of_items = name in ("api_keys", "webhooks") and method == "list"
                target = getattr(getattr((unpaged if of_items else stub).client, name), method)
                times = {n: "2026-01-31T12:00:00Z" for n in names if n in ("since", "send_at")}
                target(*["x" for n in names if n.endswith("_id")], **times)
        called = {(verb, path.split("?")[0].replace("/api/v1", "")) for verb, path, _, _ in stub.seen + unpaged.seen}
        document = json.loads((Path(__file__).parents[2] / "openapi.json").read_text())
        documented = {
            (verb.upper(), path.replace("{id}", "x"))
            for path, methods in document["paths"].items()
            for verb in methods
            if verb in ("get", "post", "patch", "delete")
        }
        self.assertEqual(called, documented)

    def test_a_post_without_a_key_is_repeated_exactly_if_the_document_says_that_it_is_safe(self):
        document = json.loads((Path(__file__).parents[2] / "openapi.json").read_text())
        calls = {
            "estimateMessage": lambda client: client.messages.estimate(to="+14155550123", from_="DEMO", body="Hi"),
            "cancelMessage": lambda client: client.messages.cancel("x"),
            "redactMessage": lambda client: client.messages.redact("x"),
            "rescheduleMessage": lambda client: client.messages.reschedule("x", send_at=None),
            "importSuppressions": lambda client: client.suppressions.import_(numbers=["+14155550123"]),
            "testWebhook": lambda client: client.webhooks.test("x"),
            "enableWebhook": lambda client: client.webhooks.enable("x"),
            "pauseWebhook": lambda client: client.webhooks.pause("x"),
            "resumeWebhook": lambda client: client.webhooks.resume("x"),
            "recoverWebhook": lambda client: client.webhooks.recover("x", since="2026-01-31T12:00:00Z"),
        }
        unkeyed = {
            methods["post"]["operationId"]: methods["post"].get("x-repeatable", False)
            for methods in document["paths"].values()
            if "post" in methods
            and {"$ref": "#/components/parameters/IdempotencyKey"} not in methods["post"].get("parameters", [])
        }
        self.assertEqual(set(unkeyed), set(calls))
        for name, call in calls.items():
            for answer in (LOST, refusal(503)):
                stub = self.stub(answer, success({}))
                if unkeyed[name]:
                    call(stub.client)
                else:
                    self.assertRaises((ApiError, OSError), call, stub.client)
                self.assertEqual(len(stub.seen), 2 if unkeyed[name] else 1, name)


class Webhook(unittest.TestCase):
    BODY = b'{"type":"message.sent"}'

    def header(self, at, secret="whsec_c2VjcmV0", body=BODY):
        digest = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
        return f"t={at},v1={digest}"

    def test_a_genuine_event(self):
        header = self.header(int(time.time()))
        self.assertEqual(verify_webhook(header, self.BODY, "whsec_c2VjcmV0"), {"type": "message.sent"})
        rotated = header.replace("v1=", f"v1={'0' * 64},v1=")
        self.assertEqual(verify_webhook(rotated, self.BODY, "whsec_c2VjcmV0"), {"type": "message.sent"})

    def test_refusals_name_the_reason(self):
        now = int(time.time())
        for header, body, reason in (
            (None, self.BODY, "malformed"),
            ("t=1", self.BODY, "malformed"),
            (self.header(now), b"{}", "mismatch"),
            (self.header(now, "whsec_other"), self.BODY, "mismatch"),
            (f"t={now},v1={'é' * 64}", self.BODY, "mismatch"),
            (f"t={now},v1={chr(0xDCE9) * 64}", self.BODY, "mismatch"),
            (chr(0xDCE9), self.BODY, "malformed"),
            (self.header(now - 301), self.BODY, "outside_tolerance"),
            (self.header(now, body=b"no"), b"no", "malformed"),
            (self.header(now), None, "malformed"),
            (self.header(now), {"type": "message.sent"}, "malformed"),
            (self.header(now), self.BODY.decode(), "malformed"),
        ):
            with self.assertRaises(WebhookError) as caught:
                verify_webhook(header, body, "whsec_c2VjcmV0")
            self.assertEqual(caught.exception.reason, reason, ascii(header))

    def test_a_line_end_behind_a_secret_as_a_file_has_one_does_not_count(self):
        for end in ("\n", "\r\n"):
            event = verify_webhook(self.header(int(time.time())), self.BODY, "whsec_c2VjcmV0" + end)
            self.assertEqual(event, {"type": "message.sent"})

    def test_an_empty_secret_verifies_nothing(self):
        header = self.header(int(time.time()), secret="")
        for secret in ("", "\n", None):
            with self.assertRaises(WebhookError) as caught:
                verify_webhook(header, self.BODY, secret)
            self.assertEqual(caught.exception.reason, "no_secret")


if __name__ == "__main__":
    unittest.main()
