"""Client of the Messaging Service API for Python 3.9 and newer. One file, standard library only.

    client = MessagingClient("https://sms.example.com/api/v1", "ds_live_...")
    message = client.messages.send(to="+14155550123", from_="DEMO", body="Hello")
    for failed in client.messages.list(status="failed"):
        print(failed["id"], failed["error"]["reason"])

Methods return `data` of the response as dicts, raise ApiError for every response that is not a success, and OSError when
the connection fails for good. A trailing underscore avoids Python's keywords: `from_` is the field `from`. A time is a
datetime with a time zone, or text in ISO 8601.
"""

from __future__ import annotations

import datetime
import email.utils
import hashlib
import hmac
import http.client
import json
import platform
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Union

# The package takes its version from here; `npm run release` sets it.
__version__ = "0.1.0"

__all__ = ["ApiError", "MessagingClient", "WebhookError", "verify_webhook"]

Json = Dict[str, Any]

BACKOFF_MAX_S = 8.0
# A longer wait is the caller's decision.
RETRY_AFTER_MAX_S = 60.0


class ApiError(Exception):
    """A response that is not a success. `reason` is the finer cause; the guide to errors lists all."""

    def __init__(self, status: int, error: Json, request_id: Optional[str], retry_after_s: Optional[float]) -> None:
        super().__init__(error.get("message", ""))
        self.status = status
        self.type: str = error.get("type", "api_error")
        self.code: str = error.get("code", "unexpected_answer")
        self.param: Optional[str] = error.get("param")
        details = error.get("details")
        self.details: Json = details if isinstance(details, dict) else {}
        self.reason: Optional[str] = self.details.get("reason")
        self.request_id = request_id
        self.retry_after_s = retry_after_s

    def __reduce__(self) -> Tuple[Any, ...]:
        # Task queues and process pools pickle exceptions, by default as a call with the message alone.
        error: Json = {"type": self.type, "code": self.code, "message": str(self), "param": self.param}
        error["details"] = self.details
        return type(self), (self.status, error, self.request_id, self.retry_after_s)


class WebhookError(Exception):
    """Why a webhook request is refused: `malformed`, `mismatch`, `outside_tolerance` or `no_secret`. Respond with 400."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self.reason, str(self))


def verify_webhook(header: Optional[str], raw_body: bytes, secret: str, tolerance_s: float = 300) -> Json:
    """The event of a genuine request.

    `header` is `Service-Signature` as received, `raw_body` the bytes before any parsing. One matching `v1` is enough: after
    a rotation of the secret there are two. Raises WebhookError otherwise.
    """
    # A file has a line end behind its value. With an empty key anybody can sign.
    secret = secret.strip() if secret else ""
    if not secret:
        raise WebhookError("no_secret", "The signing secret is empty: nothing can be verified.")
    fields = [field.strip().partition("=") for field in (header or "").split(",")]
    times = [value for name, _, value in fields if name == "t"]
    digests = [value for name, _, value in fields if name == "v1" and len(value) == 64]
    if len(times) != 1 or not (times[0].isascii() and times[0].isdigit()) or len(times[0]) > 12 or not digests:
        raise WebhookError("malformed", "There is no signature of the form t=<seconds>,v1=<hex>.")
    # Some frameworks parse a body, or give None where there is none.
    if not isinstance(raw_body, (bytes, bytearray)):
        raise WebhookError("malformed", "The body is not bytes: give it as received, before it is parsed.")
    signed = times[0].encode() + b"." + raw_body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest().encode()
    # A header can hold lone surrogates, which have no bytes.
    if not any([hmac.compare_digest(expected, digest.encode(errors="replace")) for digest in digests]):
        raise WebhookError("mismatch", "The signature does not fit this body and secret.")
    # Compared this way round, a tolerance that is not a number refuses instead of accepting.
    if not abs(time.time() - int(times[0])) <= tolerance_s:
        raise WebhookError("outside_tolerance", "The signature was made too long ago, or a clock is wrong.")
    try:
        event: Json = json.loads(raw_body)
    except ValueError as error:
        raise WebhookError("malformed", "The body is not JSON.") from error
    return event


def _retry_after(value: Optional[str]) -> Optional[float]:
    """Seconds of a Retry-After header, which holds a number or a date."""
    if not value:
        return None
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        at = email.utils.parsedate_to_datetime(value)
    # A zone of many digits overflows.
    except (TypeError, ValueError, OverflowError):
        return None
    # Without a zone it is UTC, in which dates of HTTP are written.
    at = at if at.tzinfo else at.replace(tzinfo=datetime.timezone.utc)
    return max(0.0, (at - datetime.datetime.now(datetime.timezone.utc)).total_seconds())


def _has_length(headers: http.client.HTTPMessage) -> bool:
    """Whether the end of a body is known, as of each success of the service. Headers that broke off pass for whole ones."""
    return "Content-Length" in headers or "Transfer-Encoding" in headers


def _is_wire_error(body: Json) -> bool:
    """Proxies give errors of a similar shape, so the fields that every error of the service has are checked."""
    error = body.get("error")
    return (
        body.get("success") is False
        and isinstance(error, dict)
        and isinstance(error.get("code"), str)
        and isinstance(error.get("message"), str)
        and isinstance(error.get("details"), dict)
    )


class _Reply:
    """A response with its whole body."""

    def __init__(self, status: int, retry_after: Optional[str], text: bytes) -> None:
        self.status = status
        self.retry_after_s = _retry_after(retry_after)
        try:
            self.body = json.loads(text)
        # The latter for a text that is nested too deeply, of whatever answers in the service's place.
        except (ValueError, RecursionError):
            self.body = None

    def envelope(self) -> Json:
        """The envelope of a success. Raises ApiError for anything else, such as the page of a proxy."""
        body = self.body if isinstance(self.body, dict) else {}
        is_success = body.get("success") is True and "data" in body and isinstance(body.get("meta"), dict)
        if 200 <= self.status < 300 and is_success:
            return body
        if self.status >= 400 and _is_wire_error(body):
            meta = body.get("meta")
            request_id = meta.get("request_id") if isinstance(meta, dict) else None
            raise ApiError(self.status, body["error"], request_id, self.retry_after_s)
        message = f"The response, status {self.status}, does not come from the service."
        if 200 <= self.status < 300 or self.status in (404, 405):
            message += " Check the base URL."
        if 300 <= self.status < 400 and self.status != 304:
            message = f"The response, status {self.status}, is a redirect, which is not followed. Check the base URL."
        raise ApiError(self.status, {"message": message}, None, self.retry_after_s)


def _time_text(value: Any) -> str:
    """A time in ISO 8601, for JSON. Raises TypeError for anything else."""
    if not isinstance(value, datetime.datetime):
        raise TypeError(f"{type(value).__name__} cannot be written as JSON.")
    return value.isoformat()


def _query_text(value: Any) -> str:
    """A query parameter as the service reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return _time_text(value) if isinstance(value, datetime.datetime) else str(value)


class _Unredirected(urllib.request.HTTPRedirectHandler):
    """A redirect is an error: following it would repeat the key elsewhere. Its address, which may be none, is not read."""

    def http_error_301(self, req: Any, fp: Any, code: int, msg: str, headers: Any) -> None:
        return None

    http_error_302 = http_error_303 = http_error_307 = http_error_308 = http_error_301


def _user_agent(caller: Optional[str]) -> str:
    """How the client names itself. Raises ValueError for a name of the caller that no header has."""
    own = f"messaging-service-python/{__version__} python/{platform.python_version()}"
    if caller is None:
        return own
    if caller == "" or caller != caller.strip() or not (caller.isascii() and caller.isprintable()):
        raise ValueError("user_agent must be visible ASCII characters, such as shop/1.2.")
    return f"{caller} {own}"


class _Transport:
    def __init__(
        self,
        base_url: str,
        api_key: str,
        retries: int,
        backoff_s: float,
        timeout_s: float,
        user_agent: Optional[str],
    ) -> None:
        # os.environ.get gives None for what the environment lacks.
        if not base_url:
            raise ValueError("The base URL is missing.")
        if not re.fullmatch("(?i:https?)://[!-~]+", base_url.strip()):
            raise ValueError("The base URL must be one of http:// or https://.")
        if not api_key or api_key.isspace():
            raise ValueError("The API key is missing.")
        self._base_url = base_url.strip().rstrip("/")
        # A file has a line end behind its value.
        self._api_key = api_key.strip()
        # The complaint of http.client about such a header quotes the key.
        if not (self._api_key.isascii() and self._api_key.isprintable()):
            raise ValueError("The API key has characters that no key has.")
        self._retries = retries
        self._backoff_s = backoff_s
        self._timeout_s = timeout_s
        self._opener = urllib.request.build_opener(_Unredirected)
        self._user_agent = _user_agent(user_agent)

    def __call__(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Json] = None,
        body: Optional[Json] = None,
        is_keyed: bool = False,
        idempotency_key: Optional[str] = None,
        is_repeatable: bool = False,
    ) -> Json:
        """Makes a request, repeated where that is safe. Returns the envelope.

        `is_repeatable`: of a POST without a key, that repeating it does no more than carrying it out once.
        """
        given: Json = {}
        for name, value in (query or {}).items():
            if isinstance(value, dict):
                pairs = {key: each for key, each in value.items() if each is not None}
                given.update({f"{name}[{key}]": _query_text(each) for key, each in pairs.items()})
            elif value is not None:
                given[name.rstrip("_")] = _query_text(value)
        url = self._base_url + path + ("?" + urllib.parse.urlencode(given) if given else "")
        headers = {
            "Accept": "application/json",
            "Authorization": f"Bearer {self._api_key}",
            # A field or parameter that the service does not know is refused rather than ignored (RFC 7240).
            "Prefer": "handling=strict",
            "User-Agent": self._user_agent,
        }
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            fields = {name.rstrip("_"): value for name, value in body.items()}
            data = json.dumps(fields, default=_time_text, allow_nan=False).encode()
        if is_keyed:
            # An empty one is a mistake of the caller, which the service refuses: a new one would hide it.
            headers["Idempotency-Key"] = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        return self._send(request, is_repeatable=is_keyed or is_repeatable or method != "POST").envelope()

    def _backoff(self, attempt: int) -> float:
        """Half of the wait is random, so that callers who failed together do not come back together."""
        full_s = min(BACKOFF_MAX_S, self._backoff_s * 2.0**attempt)
        return full_s / 2 + random.random() * full_s / 2

    def _wait_after(self, reply: _Reply, attempt: int, is_repeatable: bool) -> Optional[float]:
        """Seconds until the next try; None: this response stands. A 429 was not carried out."""
        after_s = reply.retry_after_s
        if after_s is not None and after_s > RETRY_AFTER_MAX_S:
            return None
        if reply.status == 429:
            return None if after_s is None else after_s + self._backoff(0)
        # A proxy gives a 408 when a request did not arrive in time.
        if (reply.status < 500 and reply.status != 408) or not is_repeatable:
            return None
        return max(after_s or 0.0, self._backoff(attempt))

    def _once(self, request: urllib.request.Request) -> _Reply:
        try:
            try:
                response = self._opener.open(request, timeout=self._timeout_s)
            except urllib.error.HTTPError as error:
                response = error
            # The body of an error can break off as that of a success can.
            with response:
                text = response.read()
                if response.status in (200, 201) and not text and not _has_length(response.headers):
                    raise ConnectionError("The response broke off within its headers.")
                return _Reply(response.status, response.headers.get("Retry-After"), text)
        except http.client.HTTPException as error:
            raise ConnectionError(f"The response broke off: {error!r}") from error

    def _send(self, request: urllib.request.Request, is_repeatable: bool) -> _Reply:
        for attempt in range(self._retries + 1):
            is_last = attempt == self._retries
            try:
                reply = self._once(request)
                wait_s = None if is_last else self._wait_after(reply, attempt, is_repeatable)
                if wait_s is None:
                    return reply
            except OSError:
                if is_last or not is_repeatable:
                    raise
                wait_s = self._backoff(attempt)
            time.sleep(wait_s)
        raise ValueError("retries must not be negative.")


def _at(path: str, item_id: str, rest: str = "") -> str:
    """The path of an item. An empty id, `.` and `..` would address the whole list, or another operation."""
    if not item_id:
        raise ValueError("The id is empty.")
    if item_id in (".", ".."):
        raise ValueError("The id is a step within a path.")
    return f"{path}/{urllib.parse.quote(item_id, safe='')}{rest}"


def _data(envelope: Json) -> Json:
    data: Json = envelope["data"]
    return data


def _items(envelope: Json) -> List[Json]:
    """The items of a list without pages."""
    items: List[Json] = envelope["data"]["data"]
    return items


class Page:
    """The pages of a list: `data` and `pagination` of the first, every item of all pages when iterated.

    Pages follow each other by cursors: new items move the others down, so that pages by number would repeat some.
    """

    def __init__(self, fetch: Callable[[Json], Json], start: Json) -> None:
        self._fetch = fetch
        envelope = fetch(start)
        self._next: Optional[str] = envelope["meta"].get("next_cursor")
        self.data: List[Json] = envelope["data"]
        self.pagination: Json = envelope["pagination"]

    def next_page(self) -> Optional["Page"]:
        """The following page; None on the last."""
        return Page(self._fetch, {"cursor": self._next}) if self._next else None

    def __iter__(self) -> Iterator[Json]:
        page: Optional[Page] = self
        while page:
            yield from page.data
            page = page.next_page()


class _Resource:
    def __init__(self, request: _Transport) -> None:
        self._request = request

    def _list(self, path: str, query: Json) -> Page:
        page, cursor = query.pop("page", 1), query.pop("cursor", None)
        start: Json = {"page": page} if cursor is None else {"cursor": cursor}
        return Page(lambda at: self._request("GET", path, query={**query, **at}), start)

    def _create(self, path: str, body: Json, idempotency_key: Optional[str]) -> Json:
        return _data(self._request("POST", path, body=body, is_keyed=True, idempotency_key=idempotency_key))


class Messages(_Resource):
    """Messages: send, estimate, reschedule, cancel, redact, read."""

    def send(self, *, idempotency_key: Optional[str] = None, **fields: Any) -> Json:
        """Sends one message: `to`, `from_`, `body`, and optional fields."""
        return self._create("/messages/send", fields, idempotency_key)

    def send_bulk(self, *, idempotency_key: Optional[str] = None, **fields: Any) -> Json:
        """Sends one text to many `recipients`. One can fail alone: check each result."""
        return self._create("/messages/bulk", fields, idempotency_key)

    def estimate(self, **fields: Any) -> Json:
        """Segments, cost and refusals of a send, without sending."""
        return _data(self._request("POST", "/messages/estimate", body=fields, is_repeatable=True))

    def cancel(self, message_id: str) -> Json:
        """Cancels a message that no provider was given yet: it is `failed`, and refunded."""
        return _data(self._request("POST", _at("/messages", message_id, "/cancel"), is_repeatable=True))

    def reschedule(self, message_id: str, *, send_at: Union[str, datetime.datetime, None], **fields: Any) -> Json:
        """Gives a scheduled message another time; None: it is sent at once."""
        body = {"send_at": send_at, **fields}
        return _data(self._request("POST", _at("/messages", message_id, "/reschedule"), body=body, is_repeatable=True))

    def redact(self, message_id: str) -> Json:
        """Deletes the text of a message that has ended, for good."""
        return _data(self._request("POST", _at("/messages", message_id, "/redact"), is_repeatable=True))

    def list(self, **query: Any) -> Page:
        """Messages, newest first."""
        return self._list("/messages", query)

    def get(self, message_id: str) -> Json:
        return _data(self._request("GET", _at("/messages", message_id)))

    def timeline(self, message_id: str) -> Json:
        """Every step of a message: attempts, delivery receipts, events, money."""
        return _data(self._request("GET", _at("/messages", message_id, "/timeline")))


class Inbound(_Resource):
    """Messages that people sent to the account's numbers."""

    def list(self, **query: Any) -> Page:
        """Inbound messages, newest first."""
        return self._list("/inbound", query)

    def get(self, inbound_id: str) -> Json:
        return _data(self._request("GET", _at("/inbound", inbound_id)))


class Account(_Resource):
    """The account of the key."""

    def get(self) -> Json:
        return _data(self._request("GET", "/account"))

    def balance(self) -> Json:
        return _data(self._request("GET", "/balance"))

    def usage(self, **query: Any) -> Json:
        return _data(self._request("GET", "/usage", query=query))


class Senders(_Resource):
    """Sender IDs."""

    def list(self, **query: Any) -> Page:
        return self._list("/senders", query)

    def create(self, *, idempotency_key: Optional[str] = None, **fields: Any) -> Json:
        return self._create("/senders/create", fields, idempotency_key)

    def get(self, sender_id: str) -> Json:
        return _data(self._request("GET", _at("/senders", sender_id)))

    def update(self, sender_id: str, **fields: Any) -> Json:
        """Changes the ids of its registration in India (DLT)."""
        return _data(self._request("PATCH", _at("/senders", sender_id), body=fields))

    def delete(self, sender_id: str) -> Json:
        return _data(self._request("DELETE", _at("/senders", sender_id)))


class Suppressions(_Resource):
    """Numbers that get no messages."""

    def list(self, **query: Any) -> Page:
        return self._list("/suppressions", query)

    def create(self, *, idempotency_key: Optional[str] = None, **fields: Any) -> Json:
        return self._create("/suppressions", fields, idempotency_key)

    def import_(self, **fields: Any) -> Json:
        """Suppresses up to 10,000 numbers. A repeated call changes nothing."""
        return _data(self._request("POST", "/suppressions/import", body=fields, is_repeatable=True))

    def delete(self, suppression_id: str) -> Json:
        return _data(self._request("DELETE", _at("/suppressions", suppression_id)))


class ApiKeys(_Resource):
    """API keys."""

    def list(self) -> List[Json]:
        return _items(self._request("GET", "/api-keys"))

    def create(self, *, idempotency_key: Optional[str] = None, **fields: Any) -> Json:
        """Only this response contains the secret."""
        return self._create("/api-keys/create", fields, idempotency_key)

    def update(self, key_id: str, **fields: Any) -> Json:
        """Changes name, limits, addresses or expiry."""
        return _data(self._request("PATCH", _at("/api-keys", key_id), body=fields))

    def revoke(self, key_id: str, *, cascade: bool = False) -> Json:
        """`cascade` also revokes the keys that were created with this key, and those created with them."""
        query = {"cascade": True} if cascade else None
        return _data(self._request("DELETE", _at("/api-keys", key_id), query=query))


class Webhooks(_Resource):
    """Webhook endpoints and their deliveries. `verify_webhook` checks the requests that they get."""

    def list(self) -> List[Json]:
        return _items(self._request("GET", "/webhooks"))

    def create(self, *, idempotency_key: Optional[str] = None, **fields: Any) -> Json:
        """Only this response contains the signing secret."""
        return self._create("/webhooks/create", fields, idempotency_key)

    def get(self, endpoint_id: str) -> Json:
        return _data(self._request("GET", _at("/webhooks", endpoint_id)))

    def update(self, endpoint_id: str, **fields: Any) -> Json:
        """Changes URL, events or description."""
        return _data(self._request("PATCH", _at("/webhooks", endpoint_id), body=fields))

    def delete(self, endpoint_id: str) -> Json:
        return _data(self._request("DELETE", _at("/webhooks", endpoint_id)))

    def deliveries(self, endpoint_id: str, **query: Any) -> Page:
        return self._list(_at("/webhooks", endpoint_id, "/deliveries"), query)

    def test(self, endpoint_id: str) -> Json:
        """Posts one test event to the endpoint at once."""
        return _data(self._request("POST", _at("/webhooks", endpoint_id, "/test")))

    def rotate_secret(self, endpoint_id: str, *, idempotency_key: Optional[str] = None) -> Json:
        path = _at("/webhooks", endpoint_id, "/rotate-secret")
        return _data(self._request("POST", path, is_keyed=True, idempotency_key=idempotency_key))

    def enable(self, endpoint_id: str) -> Json:
        return _data(self._request("POST", _at("/webhooks", endpoint_id, "/enable"), is_repeatable=True))

    def pause(self, endpoint_id: str) -> Json:
        """Sends nothing to the endpoint until it is resumed; its events wait."""
        return _data(self._request("POST", _at("/webhooks", endpoint_id, "/pause"), is_repeatable=True))

    def resume(self, endpoint_id: str) -> Json:
        """Ends a pause, and sends the events that have waited."""
        return _data(self._request("POST", _at("/webhooks", endpoint_id, "/resume"), is_repeatable=True))

    def recover(self, endpoint_id: str, *, since: Union[str, datetime.datetime]) -> Json:
        """Sends the events again that the endpoint missed since a time."""
        path = _at("/webhooks", endpoint_id, "/recover")
        return _data(self._request("POST", path, body={"since": since}, is_repeatable=True))


class Events(_Resource):
    """Status changes of messages, or inbound ones, newest first: the objects that webhooks carry."""

    def list(self, **query: Any) -> Page:
        return self._list("/events", query)


class MessagingClient:
    """The API with one key.

    Requests that create something get an Idempotency-Key, the same for all tries, so that repeating them creates once.
    Requests are repeated after a lost connection, a timeout, a 408 or a 5xx where that is safe, and after a 429 with
    Retry-After. `retries` follow the first try, the first of them after about `backoff_s` seconds, doubled each time.
    `timeout_s` limits each wait for the service: to connect, and for the next bytes of its response. `user_agent`: how your
    program names itself, such as `shop/1.2`; it precedes the client's own name in the User-Agent.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        retries: int = 3,
        backoff_s: float = 0.25,
        timeout_s: float = 30,
        user_agent: Optional[str] = None,
    ) -> None:
        request = _Transport(base_url, api_key, retries, backoff_s, timeout_s, user_agent)
        self.messages = Messages(request)
        self.inbound = Inbound(request)
        self.account = Account(request)
        self.senders = Senders(request)
        self.suppressions = Suppressions(request)
        self.api_keys = ApiKeys(request)
        self.webhooks = Webhooks(request)
        self.events = Events(request)
