"""Topics and messages for the tests of Kafka: librdkafka, which a glimpsed that speaks Kafka needs as well, by ctypes.
Python's standard library has no client of Kafka, and a test needs nothing else installed so."""

import contextlib
import ctypes
import time

SECONDS = 60  # for what a broker is asked to do; it may just have started

PRODUCER, CONSUMER = 0, 1
BEGINNING = -2  # as an offset
ANY_PARTITION = -1
COPY = 2
QUEUE_FULL, PARTITION_END = -184, -191


class Message(ctypes.Structure):
    _fields_ = [("error", ctypes.c_int), ("topic", ctypes.c_void_p), ("partition", ctypes.c_int32),
                ("payload", ctypes.c_void_p), ("length", ctypes.c_size_t), ("key", ctypes.c_void_p),
                ("key_length", ctypes.c_size_t), ("offset", ctypes.c_int64), ("hidden", ctypes.c_void_p)]


DELIVERED = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p,
                             ctypes.c_void_p)

SIGNATURES = {  # name without rd_kafka_: what it gives, and of what
    "conf_new": "p", "conf_set": "ipsssz", "conf_set_dr_cb": "vpp", "new": "pipsz", "destroy": "vp", "err2str": "si",
    "last_error": "i", "poll": "ipi", "flush": "ipi", "topic_new": "ppsp", "topic_destroy": "vp",
    "produce": "ipiiszszp", "query_watermark_offsets": "ipsIppi", "consumer_poll": "ppi", "consumer_close": "ip",
    "message_destroy": "vp", "assign": "ipp", "topic_partition_list_new": "pi", "topic_partition_list_destroy": "vp",
    "topic_partition_list_add": "ppsI", "topic_partition_list_set_offset": "ipsIL", "queue_new": "pp",
    "queue_destroy": "vp", "queue_poll": "ppi", "event_error": "ip", "event_error_string": "sp", "event_destroy": "vp",
    "NewTopic_new": "psiisz", "NewTopic_set_config": "ipss", "NewTopic_destroy": "vp", "CreateTopics": "vppzpp",
    "event_CreateTopics_result": "pp", "CreateTopics_result_topics": "ppp", "topic_result_error": "ip",
    "topic_result_error_string": "sp", "DeleteTopic_new": "ps", "DeleteTopic_destroy": "vp", "DeleteTopics": "vppzpp",
    "event_DeleteTopics_result": "pp", "DeleteTopics_result_topics": "ppp", "DeleteRecords_new": "pp",
    "DeleteRecords_destroy": "vp", "DeleteRecords": "vppzpp", "NewPartitions_new": "pszsz",
    "NewPartitions_destroy": "vp", "CreatePartitions": "vppzpp", "event_CreatePartitions_result": "pp",
    "CreatePartitions_result_topics": "ppp", "init_transactions": "ppi", "begin_transaction": "pp",
    "commit_transaction": "ppi", "abort_transaction": "ppi", "error_string": "sp", "error_destroy": "vp",
}
TYPES = {"p": ctypes.c_void_p, "i": ctypes.c_int, "s": ctypes.c_char_p, "z": ctypes.c_size_t, "I": ctypes.c_int32,
         "L": ctypes.c_int64, "v": None}


class Library:
    """librdkafka's functions, without their prefix."""

    def __init__(self):
        library = ctypes.CDLL("librdkafka.so.1")
        for name, letters in SIGNATURES.items():
            function = getattr(library, f"rd_kafka_{name}")
            function.restype = TYPES[letters[0]]
            function.argtypes = [TYPES[letter] for letter in letters[1:]]
            setattr(self, name, function)


class KafkaError(Exception):
    pass


class Client:
    """One of the brokers at `address` (HOST:PORT). To be closed; it may outlive restarts of the broker."""

    library = None

    def __init__(self, address, properties=None):
        Client.library = Client.library or Library()
        self.properties = {"bootstrap.servers": address, **(properties or {})}
        self.lost = []
        self.delivered = DELIVERED(lambda _c, _p, _l, error, _o, _m: error and self.lost.append(error))
        self.open()

    def open(self):
        self.producer = self.make(PRODUCER, {"enable.idempotence": "true", "linger.ms": "5"})

    def reopen(self):
        """Forgets what it knows of topics."""
        self.close()
        self.open()

    def make(self, kind, properties):
        lib = self.library
        conf = lib.conf_new()
        why = ctypes.create_string_buffer(512)
        for name, value in {**self.properties, **properties, "log_level": "0"}.items():
            if lib.conf_set(conf, name.encode(), value.encode(), why, len(why)) != 0:
                raise KafkaError(why.value.decode())
        if kind == PRODUCER:
            lib.conf_set_dr_cb(conf, ctypes.cast(self.delivered, ctypes.c_void_p))
        client = lib.new(kind, conf, why, len(why))
        if not client:
            raise KafkaError(why.value.decode())
        return client

    def close(self):
        self.library.destroy(self.producer)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def check(self, error, what):
        if error:
            raise KafkaError(f"{what}: {self.library.err2str(error).decode()}")

    def ask(self, request, made, what, result_topics=None):
        """Sends one request of administration with one object, and raises what the answer refuses."""
        lib = self.library
        queue = lib.queue_new(self.producer)
        event = None
        try:
            request(self.producer, (ctypes.c_void_p * 1)(made), 1, None, queue)
            event = lib.queue_poll(queue, SECONDS * 1000)
            if not event:
                raise KafkaError(f"{what}: no answer in {SECONDS} s")
            if lib.event_error(event):
                raise KafkaError(f"{what}: {lib.event_error_string(event).decode()}")
            if result_topics:
                kind, topics = result_topics
                count = ctypes.c_size_t()
                results = topics(kind(event), ctypes.byref(count))
                for result in (ctypes.c_void_p * count.value).from_address(results):
                    if lib.topic_result_error(result):
                        why = lib.topic_result_error_string(result) or b""
                        raise KafkaError(f"{what}: {why.decode() or lib.err2str(lib.topic_result_error(result))}")
        finally:
            if event:
                lib.event_destroy(event)
            lib.queue_destroy(queue)

    def create_topic(self, name, partitions, config=None):
        """Returns once its partitions can be written to."""
        lib = self.library
        why = ctypes.create_string_buffer(512)
        topic = lib.NewTopic_new(name.encode(), partitions, 1, why, len(why))
        if not topic:
            raise KafkaError(why.value.decode())
        for key, value in (config or {}).items():
            lib.NewTopic_set_config(topic, key.encode(), value.encode())
        try:
            self.ask(lib.CreateTopics, topic, f"create topic {name}",
                     (lib.event_CreateTopics_result, lib.CreateTopics_result_topics))
        finally:
            lib.NewTopic_destroy(topic)
        for partition in range(partitions):
            self.range(name, partition)

    def delete_topic(self, name):
        lib = self.library
        topic = lib.DeleteTopic_new(name.encode())
        try:
            self.ask(lib.DeleteTopics, topic, f"delete topic {name}",
                     (lib.event_DeleteTopics_result, lib.DeleteTopics_result_topics))
        finally:
            lib.DeleteTopic_destroy(topic)
        self.reopen()

    def add_partitions(self, name, total):
        lib = self.library
        why = ctypes.create_string_buffer(512)
        more = lib.NewPartitions_new(name.encode(), total, why, len(why))
        if not more:
            raise KafkaError(why.value.decode())
        try:
            self.ask(lib.CreatePartitions, more, f"more partitions of {name}",
                     (lib.event_CreatePartitions_result, lib.CreatePartitions_result_topics))
        finally:
            lib.NewPartitions_destroy(more)
        self.reopen()
        self.range(name, total - 1)

    @contextlib.contextmanager
    def partition_list(self, topic, offsets):
        """Of {partition: offset}."""
        lib = self.library
        made = lib.topic_partition_list_new(len(offsets))
        for partition, offset in offsets.items():
            lib.topic_partition_list_add(made, topic.encode(), partition)
            lib.topic_partition_list_set_offset(made, topic.encode(), partition, offset)
        try:
            yield made
        finally:
            lib.topic_partition_list_destroy(made)

    def delete_records(self, topic, partition, before):
        """As retention does: the oldest message is `before` then."""
        lib = self.library
        with self.partition_list(topic, {partition: before}) as offsets:
            made = lib.DeleteRecords_new(offsets)
            try:
                self.ask(lib.DeleteRecords, made, f"delete records of {topic}")
            finally:
                lib.DeleteRecords_destroy(made)

    def range(self, topic, partition):
        """(offset of the oldest message, that of the next one)."""
        low, high = ctypes.c_int64(), ctypes.c_int64()
        end = time.monotonic() + SECONDS
        while True:
            error = self.library.query_watermark_offsets(self.producer, topic.encode(), partition, ctypes.byref(low),
                                                         ctypes.byref(high), 5000)
            if not error:
                return low.value, high.value
            if time.monotonic() > end:
                self.check(error, f"range of {topic}/{partition}")
            time.sleep(0.05)
            self.reopen()  # it may remember that the topic was not there

    def produce(self, topic, messages, partition=0, flush=True):
        """`messages`: bytes, text, or None, a tombstone; or pairs (partition, one of these)."""
        lib = self.library
        handle = lib.topic_new(self.producer, topic.encode(), None)
        try:
            for message in messages:
                where, value = message if isinstance(message, tuple) else (partition, message)
                value = value.encode() if isinstance(value, str) else value
                key = b"key" if value is None else None  # where compacted, a tombstone has one
                while lib.produce(handle, where, COPY, value, len(value or b""), key, len(key or b""), None) != 0:
                    error = lib.last_error()
                    if error != QUEUE_FULL:
                        self.check(error, f"produce to {topic}/{where}")
                    lib.poll(self.producer, 100)
                lib.poll(self.producer, 0)
            if flush:
                self.flush()
        finally:
            lib.topic_destroy(handle)

    def flush(self):
        self.check(self.library.flush(self.producer, SECONDS * 1000), "flush")
        if self.lost:
            self.check(self.lost[0], f"{len(self.lost)} messages were not taken")

    def read(self, topic, partition, begin=BEGINNING, committed=True):
        """[(offset, key, value)] from `begin` up to the end; keys and values are bytes or None."""
        lib = self.library
        consumer = self.make(CONSUMER, {"group.id": "tests", "enable.auto.commit": "false", "enable.partition.eof": "true",
                                        "isolation.level": "read_committed" if committed else "read_uncommitted"})
        found = []
        try:
            with self.partition_list(topic, {partition: begin}) as offsets:
                self.check(lib.assign(consumer, offsets), "assign")
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                pointer = lib.consumer_poll(consumer, 1000)
                if not pointer:
                    continue
                message = Message.from_address(pointer)
                try:
                    if message.error == PARTITION_END:
                        return found
                    if not message.error:
                        found.append((message.offset, bytes_at(message.key, message.key_length),
                                      bytes_at(message.payload, message.length)))
                finally:
                    lib.message_destroy(pointer)
            raise KafkaError(f"{topic}/{partition}: its end was not reached in {SECONDS} s")
        finally:
            lib.consumer_close(consumer)
            lib.destroy(consumer)


def bytes_at(address, length):
    return ctypes.string_at(address, length) if address is not None else None


class TransactionalClient(Client):
    """One that writes as the owner of a transactional id, and fences who has it."""

    def __init__(self, address, transactional_id):
        self.transactional_id = transactional_id
        super().__init__(address)
        self.transact("init_transactions", SECONDS * 1000)

    def open(self):
        self.producer = self.make(PRODUCER, {"transactional.id": self.transactional_id, "linger.ms": "5"})

    def transact(self, step, *arguments):
        """Raises what the brokers refuse."""
        error = getattr(self.library, step)(self.producer, *arguments)
        if error:
            why = self.library.error_string(error).decode()
            self.library.error_destroy(error)
            raise KafkaError(f"{step}: {why}")

    def begin(self):
        self.transact("begin_transaction")

    def commit(self):
        self.transact("commit_transaction", SECONDS * 1000)
