"""A real broker of Kafka for end-to-end tests: one process, on loopback, in a folder of its own (KRaft: no ZooKeeper).

GLIMPSE_KAFKA_JARS names the folder of its jars, which `mvn dependency:copy-dependencies` fetches with kafka/broker.xml;
tools/check sets it. Where it, Java or a daemon that was built with Kafka is missing, needs_broker skips a test and says
what is missing. Topics and messages are made by kafka_support.Client.

A start costs four seconds of a processor, so all tests of a run of ctest share the broker that kafka/shared_broker.py
starts. A test that is run by hand starts one, and so does a class whose tests stop, freeze or kill it.
"""

import ctypes
import fcntl
import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import uuid

import harness
import kafka_support

START_SECONDS = 90  # a start takes 4 s on a machine that is idle
ATTEMPTS = 3  # another process may take a port between the choice and the start

PROPERTIES = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "controller.listener.names": "CONTROLLER",
    "inter.broker.listener.name": "PLAIN",
    "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAIN:PLAINTEXT,SECURE:SASL_SSL",
    "auto.create.topics.enable": "false",
    "default.replication.factor": "1",
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "4",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "4",
    "group.initial.rebalance.delay.ms": "0",
    # What idle clients may claim; the default is 45 s, and a test of lost members wants less.
    "group.min.session.timeout.ms": "1000",
    "log.cleaner.dedupe.buffer.size": "2097152",
    "log.retention.check.interval.ms": "500",
    "log.segment.delete.delay.ms": "100",
    "num.network.threads": "2",
    "num.io.threads": "2",
    "background.threads": "2",
    # After a kill the controller, which is the same process, waits for the end of the broker's session before.
    "broker.session.timeout.ms": "1500",
    "broker.heartbeat.interval.ms": "300",
}

LOGGING = """status = error
appender.file.type = File
appender.file.name = file
appender.file.fileName = {log}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d %p %c{{1}}: %m%n
rootLogger.level = info
rootLogger.appenderRef.file.ref = file
"""


def why_missing():
    """What a broker lacks here, in words; empty: nothing."""
    jars = os.environ.get("GLIMPSE_KAFKA_JARS", "")
    if not jars:
        return "GLIMPSE_KAFKA_JARS does not name the folder of the broker's jars"
    if not glob.glob(os.path.join(jars, "kafka_*.jar")):
        return f"there is no broker in GLIMPSE_KAFKA_JARS={jars}"
    for program in ("java", "openssl"):
        if not shutil.which(program):
            return f"{program} is not here"
    checked = subprocess.run([harness.binary("GLIMPSE_BIN"), "--check-config", "--dimension", "2", "--input",
                              "kafka://127.0.0.1:1/t"], capture_output=True, text=True, check=False)
    if "without Kafka" in checked.stderr:
        return "this glimpsed was built without Kafka"
    return ""


def needs_broker(decorated):
    """Of a test or a class of tests."""
    reason = why_missing()
    return unittest.skipIf(reason, reason)(decorated)


def free_ports(count):
    """Ports of loopback that the kernel chose, and nobody has now."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def end_with_parent():
    """In the child: no broker outlives its test, however that ends."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


USER, PASSWORD = "glimpse", "open sesame"  # of the listener with TLS and SASL's PLAIN


class Listeners:
    """Where a broker that runs is reached."""

    def __init__(self, folder, port, secure_port):
        self.folder, self.port, self.secure_port = folder, port, secure_port

    @property
    def certificate(self):
        """The file of the secure port's."""
        return os.path.join(self.folder, "certificate.pem")

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    @property
    def secure_address(self):
        return f"127.0.0.1:{self.secure_port}"

    def topic_address(self, topic):
        """As --input has it."""
        return f"kafka://{self.address}/{topic}"


class Broker(Listeners):
    """Starts at once. `properties` add to PROPERTIES or replace them. The ports stay the same over restarts. `formatted`:
    the folder of another broker, which need not be formatted once more for this one."""

    def __init__(self, folder, properties=None, formatted=None):
        self.folder = folder
        self.given = properties or {}
        self.process = None
        self.log_path = os.path.join(folder, "broker.log")
        os.makedirs(folder, exist_ok=True)
        self.make_certificate()
        for attempt in range(ATTEMPTS):
            port, secure_port, self.controller_port = free_ports(3)
            super().__init__(folder, port, secure_port)
            self.configure()
            try:
                if attempt == 0:
                    self.format(formatted)
                self.start()
                return
            except AssertionError:
                self.discard()
                if attempt + 1 == ATTEMPTS or "Address already in use" not in self.log():
                    raise

    def make_certificate(self):
        key = os.path.join(self.folder, "key.pem")
        made = subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", self.certificate],
            capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stderr
        with open(os.path.join(self.folder, "listener.pem"), "wb") as file:
            for path in (key, self.certificate):
                with open(path, "rb") as part:
                    file.write(part.read())

    def log(self):
        try:
            with open(self.log_path, encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def configure(self):
        advertised = f"PLAIN://{self.address},SECURE://{self.secure_address}"
        properties = {
            **PROPERTIES,
            "log.dirs": os.path.join(self.folder, "data"),
            "controller.quorum.voters": f"1@127.0.0.1:{self.controller_port}",
            "listeners": f"{advertised},CONTROLLER://127.0.0.1:{self.controller_port}",
            "advertised.listeners": advertised,
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": os.path.join(self.folder, "listener.pem"),
            "listener.name.secure.sasl.enabled.mechanisms": "PLAIN",
            "listener.name.secure.plain.sasl.jaas.config":
                f'org.apache.kafka.common.security.plain.PlainLoginModule required user_{USER}="{PASSWORD}";',
        }
        properties |= self.given
        with open(os.path.join(self.folder, "server.properties"), "w", encoding="utf-8") as file:
            file.writelines(f"{name}={value}\n" for name, value in properties.items())
        with open(os.path.join(self.folder, "log4j2.properties"), "w", encoding="utf-8") as file:
            file.write(LOGGING.format(log=self.log_path))

    def java(self, *arguments):
        """What starts one of its programs. Small and soon there, rather than fast for long."""
        return ["java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto",
                f"-Dlog4j2.configurationFile={self.folder}/log4j2.properties", "-cp",
                os.path.join(os.environ["GLIMPSE_KAFKA_JARS"], "*"), *arguments]

    def format(self, formatted):
        if formatted:
            os.mkdir(os.path.join(self.folder, "data"))
            for name in ("meta.properties", "bootstrap.checkpoint"):
                shutil.copy(os.path.join(formatted, "data", name), os.path.join(self.folder, "data", name))
            return
        settings = os.path.join(self.folder, "server.properties")
        done = subprocess.run(self.java("kafka.tools.StorageTool", "format", "-t", "glimpse-tests-glimpsex", "-c", settings),
                              capture_output=True, text=True, timeout=START_SECONDS, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    def start(self):
        """Returns once it serves."""
        assert self.process is None
        seen = len(self.log())
        with open(os.path.join(self.folder, "broker.out"), "ab") as out:
            self.process = subprocess.Popen(self.java("kafka.Kafka", os.path.join(self.folder, "server.properties")),
                                            stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                            preexec_fn=end_with_parent)
        end = time.monotonic() + START_SECONDS
        while "Kafka Server started" not in self.log()[seen:]:
            assert self.process.poll() is None, f"the broker ended: {self.log()[seen:][-3000:]}"
            assert time.monotonic() < end, f"the broker did not start in {START_SECONDS} s: {self.log()[-3000:]}"
            time.sleep(0.02)

    def stop(self, number=signal.SIGTERM):
        """Ends it; start() brings it back with what it has written."""
        if self.process is None:
            return
        self.process.send_signal(number)
        try:
            self.process.wait(harness.DEADLINE)
        finally:
            self.process.kill()
            self.process.wait()
            self.process = None

    def kill(self):
        """kill -9."""
        self.stop(signal.SIGKILL)

    def restart(self, number=signal.SIGTERM):
        self.stop(number)
        self.start()

    def freeze(self):
        """It answers nobody, and its connections stay open."""
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)

    def discard(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def shared_folder(ctest):
    """Of the broker that serves the tests of the ctest with this process id; None: ctest did not start this process."""
    folders = os.environ.get("GLIMPSE_BROKERS")
    return folders and os.path.join(folders, str(ctest))


def shared_listeners():
    """Of the broker that serves this run of ctest; None: there is no such broker."""
    folder = shared_folder(os.getppid())
    try:
        with open(os.path.join(folder or "", "listeners.json"), encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:  # the process that watches the broker holds it as long as it lives
                return Listeners(**json.load(file)["listeners"])
    except FileNotFoundError:
        pass
    return None


class KafkaTestCase(harness.TestCase):
    """A class of tests that have a broker and a client of it. Whatever a test makes there has a name from unique()."""

    stops_broker = False  # or freezes it: then the class has a broker that it shares with nobody

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.broker = shared = shared_listeners()
        if shared is None or cls.stops_broker:
            folder = tempfile.mkdtemp(prefix="glimpse-broker-")
            cls.addClassCleanup(shutil.rmtree, folder, True)
            cls.broker = Broker(folder, formatted=shared and shared.folder)
            cls.addClassCleanup(cls.broker.discard)
        cls.client = kafka_support.Client(cls.broker.address)
        cls.addClassCleanup(cls.client.close)

    def setUp(self):
        super().setUp()
        self.suffix = uuid.uuid4().hex[:8]

    def unique(self, name):
        """A name for a topic or a group that no other test has, nor this one when it is run again."""
        return f"{name[:100]}-{self.suffix}"

    def secure_properties(self, password):
        """Arguments with which a program reaches the broker's secure address."""
        secret = self.write("password", password + "\n")
        os.chmod(secret, 0o600)
        given = {"security.protocol": "sasl_ssl", "ssl.ca.location": self.broker.certificate, "sasl.mechanisms": "PLAIN",
                 "sasl.username": USER, "sasl.password": "@" + secret}
        return [part for name, value in given.items() for part in ("--kafka-property", f"{name}={value}")]


class TopicTestCase(KafkaTestCase):
    """Each test has topics of its own."""

    def topic(self, partitions=1, config=None, name=""):
        """(name, address) of a new one."""
        name = self.unique(name or self.id().rpartition(".")[2])
        self.client.create_topic(name, partitions, config)
        return name, self.broker.topic_address(name)
