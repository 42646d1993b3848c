/**
 * Code samples that receive a webhook request: servers on port 4000 that verify its signature with SIGNING_SECRET. They accept
 * every type of event: an inbound message has no status.
 */
import type { CodeSample } from "./code-samples";

const NODE = `import { createServer } from "node:http";
import { verifyWebhook } from "messaging-service-client/webhooks";

createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  try {
    const event = await verifyWebhook({
      header: request.headers["service-signature"],
      rawBody: Buffer.concat(parts),
      secret: process.env.SIGNING_SECRET,
    });
    console.log(event.type, event.data.id, event.data.status ?? "");
    response.writeHead(204).end();
  } catch {
    response.writeHead(400).end();
  }
}).listen(4000);
`;

const PYTHON = `import os
from http.server import BaseHTTPRequestHandler, HTTPServer
from messaging_service import WebhookError, verify_webhook

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        raw_body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = verify_webhook(self.headers["Service-Signature"], raw_body, os.environ["SIGNING_SECRET"])
        except WebhookError:
            self.send_response(400)
        else:
            print(event["type"], event["data"]["id"], event["data"].get("status", ""))
            self.send_response(204)
        self.end_headers()

HTTPServer(("", 4000), Receiver).serve_forever()
`;

const PHP = `<?php
// php -S localhost:4000 receive.php
$rawBody = file_get_contents('php://input');
$secret = (string) getenv('SIGNING_SECRET');
$time = '';
$digests = [];
foreach (explode(',', $_SERVER['HTTP_SERVICE_SIGNATURE'] ?? '') as $field) {
  [$name, $value] = array_pad(explode('=', trim($field), 2), 2, '');
  if ($name === 't') $time = $value;
  if ($name === 'v1') $digests[] = $value;
}
$expected = hash_hmac('sha256', "$time.$rawBody", $secret);
$matches = array_filter($digests, fn ($digest) => hash_equals($expected, $digest));
// With an empty secret anybody can sign.
if ($secret === '' || !$matches || !preg_match('/^[0-9]{1,12}$/D', $time) || abs(time() - (int) $time) > 300) {
  http_response_code(400);
  exit;
}
$event = json_decode($rawBody, true);
$status = $event['data']['status'] ?? '';
error_log("$event[type] {$event['data']['id']} $status");
http_response_code(204);
`;

const GO = `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

func isGenuine(header string, rawBody []byte, secret string) bool {
	// With an empty secret anybody can sign.
	if secret == "" {
		return false
	}
	at, digests := "", []string{}
	for _, field := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		switch name {
		case "t":
			at = value
		case "v1":
			digests = append(digests, value)
		}
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(at + "."))
	mac.Write(rawBody)
	expected := hex.EncodeToString(mac.Sum(nil))
	for _, digest := range digests {
		if hmac.Equal([]byte(digest), []byte(expected)) {
			return true
		}
	}
	return false
}

func main() {
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		rawBody, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 1<<20))
		if err != nil || !isGenuine(request.Header.Get("Service-Signature"), rawBody, os.Getenv("SIGNING_SECRET")) {
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		fmt.Println(string(rawBody))
		response.WriteHeader(http.StatusNoContent)
	})
	panic(http.ListenAndServe(":4000", nil))
}
`;

export const WEBHOOK_SAMPLES: readonly CodeSample[] = [
  { lang: "js", label: "Node", source: NODE },
  { lang: "python", label: "Python", source: PYTHON },
  { lang: "php", label: "PHP", source: PHP },
  { lang: "go", label: "Go", source: GO },
];
