#!/usr/bin/env python3
"""Plays the metadata service of an AWS spot machine: metadata-service.py FOLDER.

It writes its port into FOLDER/port, appends a line to FOLDER/asked for each question for a notice,
and answers with the file FOLDER/notice; while there is none, with 404. A notice that says "hang"
is never answered, and "NUMBER" alone is a status.
"""
import http.server
import os
import sys
import threading

folder = sys.argv[1]
TOKEN = "a-token"


class Service(http.server.BaseHTTPRequestHandler):
    def do_PUT(self):
        is_asked = self.path == "/latest/api/token"
        lives = self.headers.get("X-aws-ec2-metadata-token-ttl-seconds", "")
        self.answer(200 if is_asked and lives.isdigit() else 400, TOKEN.encode())

    def do_GET(self):
        with open(folder + "/asked", "a") as file:
            file.write(self.path + "\n")
        if self.headers.get("X-aws-ec2-metadata-token") != TOKEN:
            return self.answer(401)
        if self.path != "/latest/meta-data/spot/instance-action":
            return self.answer(404)
        try:
            with open(folder + "/notice", "rb") as file:
                notice = file.read()
        except FileNotFoundError:
            return self.answer(404)
        if notice == b"hang":
            threading.Event().wait()
        return self.answer(int(notice)) if notice.isdigit() else self.answer(200, notice)

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
with open(folder + "/port.new", "w") as file:
    file.write(str(server.server_address[1]))
os.rename(folder + "/port.new", folder + "/port")
server.serve_forever()
