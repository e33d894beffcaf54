"""Sends a file again and again on one connection, at full speed, until it is ended: streamer.py ADDRESS FILE

What comes back is thrown away. Ended with SIGTERM, it prints how many bytes it sent. It is a program of its own, so that it
does not take turns with the program that measures.
"""

import signal
import socket
import sys
import threading


def main():
    address, path = sys.argv[1:]
    kind, _, rest = address.partition(":")
    if kind == "unix":
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.connect(rest)
    else:
        host, _, port = rest.rpartition(":")
        connection = socket.create_connection((host, int(port)))
    print("streaming", flush=True)

    def drain():
        try:
            while connection.recv(1 << 16):
                pass
        except OSError:
            pass

    threading.Thread(target=drain, daemon=True).start()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    buffer, sent = memoryview(bytearray(128 << 10)), 0
    try:
        with open(path, "rb", buffering=0) as file:
            while True:
                file.seek(0)
                while size := file.readinto(buffer):
                    connection.sendall(buffer[:size])
                    sent += size
    finally:
        print(sent, flush=True)


if __name__ == "__main__":
    main()
