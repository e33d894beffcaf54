"""AsyncClient against the real daemon: questions side by side, errors, cancelling, more questions than connections."""

import asyncio
import socket
import threading
import unittest

from client_support import ClientTestCase

import glimpsed
import glimpsed.client
from glimpsed.client import AsyncClient, InvalidRequest, Unavailable

OPTIONS = ("--dimension", 4, "--budget", 3, "--seed", 7, "--algorithm", "pairwise")


class AsyncClientTest(ClientTestCase):
    def test_questions_are_answered_side_by_side(self):
        daemon = self.start(*OPTIONS)

        async def ask():
            async with AsyncClient("unix:" + daemon.http_path, connections=3) as client:
                report = await client.learn([(1, [0.5, 1, 2, 3]), (0, [1, 2, 3, 4])])
                self.assertEqual(report.accepted, 2)
                answers = await asyncio.gather(*(client.predict([[0.5, 1, 2, k]]) for k in range(20)))
                self.assertEqual({len(answer.predictions) for answer in answers}, {1})
                plan, = await client.ask(1)
                told = await client.tell(plan, label=1, values=[1] * len(plan.attributes))
                self.assertEqual(told.status, "learned")
                with self.assertRaises(InvalidRequest):
                    await client.predict([[1, 2]])
                self.assertTrue(await client.ready())
                return (await client.status())["examples"]

        self.assertEqual(asyncio.run(ask()), 3)

    def test_the_loop_goes_on_while_an_answer_does_not_come(self):
        listening = socket.socket()
        self.addCleanup(listening.close)
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        port = listening.getsockname()[1]
        reached = threading.Event()
        ended = threading.Event()

        def take():
            connection, _ = listening.accept()
            connection.recv(1000)
            reached.set()
            ended.wait(30)
            connection.close()

        server = threading.Thread(target=take)
        server.start()

        async def ask():
            async with AsyncClient(f"http://127.0.0.1:{port}", retries=0, connections=1) as client:
                question = asyncio.create_task(client.status())
                while not reached.is_set():
                    await asyncio.sleep(0.001)
                question.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await question
                ended.set()
                listening.close()
                with self.assertRaises(Unavailable):
                    await client.status()  # on the same connection, once it is free

        asyncio.run(ask())
        server.join()

    def test_names(self):
        self.assertIs(glimpsed.client.Client, glimpsed.Client)
        self.assertIs(glimpsed.AsyncClient, AsyncClient)
        with self.assertRaises(AttributeError):
            glimpsed.Nothing
        with self.assertRaises(ValueError):
            AsyncClient("http://127.0.0.1:1", connections=0)


if __name__ == "__main__":
    unittest.main()
