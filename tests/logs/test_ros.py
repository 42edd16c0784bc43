"""Recordings of ROS: what the packages rosbags and mcap write is read, and hostile files are refused."""

from __future__ import annotations

import bz2
import io
import sqlite3
import struct
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from mcap.writer import CompressionType
from mcap.writer import Writer as McapWriter
from rosbags.rosbag1 import Writer as Bag1
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin
from rosbags.rosbag2 import Writer as Bag2
from rosbags.typesys import Stores, get_typestore

from floatbase import logs
from floatbase.errors import ArgumentError, LogError, UnknownNameError
from floatbase.logs import mcap_records

STORES = {"cdr": get_typestore(Stores.ROS2_HUMBLE), "ros1": get_typestore(Stores.ROS1_NOETIC)}
COUNT, START = 30, 1_700_000_000_000_000_000
RNG = np.random.default_rng(0)
POSITION, VELOCITY = RNG.standard_normal((2, COUNT, 2))
GYRO, FORCE, TORQUE = RNG.standard_normal((3, COUNT, 3))


def messages(encoding: str):
    """Topic, type and content of messages, with the times they are recorded."""
    store = STORES[encoding]
    known = store.types
    time, vector = known["builtin_interfaces/msg/Time"], known["geometry_msgs/msg/Vector3"]

    def header(k, frame):
        stamp = time(*divmod(START + 10_000_000 * k, 1_000_000_000))
        fields = {"stamp": stamp, "frame_id": frame}
        return known["std_msgs/msg/Header"](**({"seq": k} if encoding == "ros1" else {}), **fields)

    for k in range(COUNT):
        recorded = START + 10_000_000 * k + 1_000_000
        kind = "sensor_msgs/msg/JointState"
        joints = known[kind](header(k, ""), ["hip", "knee"], POSITION[k], VELOCITY[k], np.zeros(0))
        yield "/robot/joint_states", kind, joints, recorded
        kind = "sensor_msgs/msg/Imu"
        imu = known[kind](
            header(k, "imu"),
            known["geometry_msgs/msg/Quaternion"](0.0, 0.0, np.sin(k / 100), np.cos(k / 100)),
            np.zeros(9),
            vector(*GYRO[k]),
            np.zeros(9),
            vector(0.0, 0.0, 9.81),
            np.array([-1.0, *np.zeros(8)]),
        )
        yield "/imu", kind, imu, recorded
        kind = "geometry_msgs/msg/WrenchStamped"
        wrench = known["geometry_msgs/msg/Wrench"](vector(*FORCE[k]), vector(*TORQUE[k]))
        yield "/foot", kind, known[kind](header(k, "l_sole"), wrench), recorded
    kind = "std_msgs/msg/String"
    yield "/chatter", kind, known[kind]("hello"), START


def write_bag2(path: Path, plugin=StoragePlugin.SQLITE3, packed: str = "") -> Path:
    store = STORES["cdr"]
    with Bag2(path, version=9, storage_plugin=plugin) as bag:
        if packed:
            bag.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
        channels = {}
        for topic, kind, message, recorded in messages("cdr"):
            if topic not in channels:
                channels[topic] = bag.add_connection(topic, kind, typestore=store)
            bag.write(channels[topic], recorded, store.serialize_cdr(message, kind))
    return path


def write_bag1(path: Path, packed: str = "") -> Path:
    store = STORES["ros1"]
    bag = Bag1(path)
    if packed:
        bag.set_compression(getattr(bag.CompressionFormat, packed.upper()))
    with bag:
        channels = {}
        for topic, kind, message, recorded in messages("ros1"):
            if topic not in channels:
                channels[topic] = bag.add_connection(topic, kind, typestore=store)
            bag.write(channels[topic], recorded, store.serialize_ros1(message, kind))
    return path


def write_mcap(path: Path, packed=CompressionType.ZSTD, encoding: str = "cdr", **options) -> Path:
    store = STORES[encoding]
    with open(path, "wb") as stream:
        writer = McapWriter(stream, compression=packed, **options)
        writer.start(profile="ros2" if encoding == "cdr" else "ros1", library="")
        channels = {}
        for topic, kind, message, recorded in messages(encoding):
            if topic not in channels:
                name = kind if encoding == "cdr" else kind.replace("/msg/", "/")
                schema = writer.register_schema(name, "ros2msg" if encoding == "cdr" else "ros1msg", b"")
                channels[topic] = writer.register_channel(topic, encoding, schema)
            serialize = store.serialize_cdr if encoding == "cdr" else store.serialize_ros1
            writer.add_message(channels[topic], recorded, bytes(serialize(message, kind)), recorded)
        writer.finish()
    return path


def check(log: logs.Log) -> None:
    assert log.names == (
        "robot/joint_states/position",
        "robot/joint_states/velocity",
        "imu/orientation",
        "imu/angular_velocity",
        "foot/wrench",
    )
    np.testing.assert_array_equal(log["position"].values, POSITION)
    np.testing.assert_array_equal(log["velocity"].values, VELOCITY)
    np.testing.assert_array_equal(log["angular_velocity"].values, GYRO)
    np.testing.assert_array_equal(log["wrench"].values, np.hstack([FORCE, TORQUE]))
    np.testing.assert_array_equal(log["orientation"].values[:, 3], np.sin(np.arange(COUNT) / 100))
    assert log["orientation"].orientation
    assert log["position"].columns == ("hip", "knee")
    assert (log["position"].unit, log["wrench"].units) == ("rad", ("N",) * 3 + ("N m",) * 3)
    assert (log["imu/orientation"].frame, log["wrench"].frame) == ("imu", "l_sole")
    np.testing.assert_allclose(log.time("foot"), np.arange(COUNT) / 100, atol=1e-15)
    assert log.metadata["start"] == START
    assert list(log.metadata["left out"]) == ["/chatter"]


@pytest.mark.parametrize("plugin", list(StoragePlugin))
def test_bags_of_ros_2_are_read_as_folder_and_as_file(tmp_path, plugin):
    path = write_bag2(tmp_path / "bag", plugin)
    check(logs.load(path))
    check(logs.load(next(file for file in path.iterdir() if file.suffix in (".db3", ".mcap"))))


@pytest.mark.parametrize("packed", ["", "bz2", "lz4"])
def test_bags_of_ros_1_are_read(tmp_path, packed):
    check(logs.load(write_bag1(tmp_path / "a.bag", packed)))


@pytest.mark.parametrize("packed", list(CompressionType))
@pytest.mark.parametrize("encoding", ["cdr", "ros1"])
def test_mcap_files_are_read(tmp_path, packed, encoding):
    check(logs.load(write_mcap(tmp_path / "a.mcap", packed, encoding)))


def test_mcap_files_without_chunks_are_read(tmp_path):
    check(logs.load(write_mcap(tmp_path / "a.mcap", use_chunking=False)))


def test_topics_stamps_and_prismatic_joints_are_chosen(tmp_path):
    path = write_mcap(tmp_path / "a.mcap")
    log = logs.read_ros(path, topics=["/robot/joint_states"], stamps="recorded", prismatic=["knee"])
    assert log.names == ("robot/joint_states/position", "robot/joint_states/velocity")
    assert log["position"].units == ("rad", "m")
    assert log["velocity"].units == ("rad/s", "m/s")
    assert log.metadata["start"] == START + 1_000_000
    with pytest.raises(UnknownNameError, match="did you mean '/foot'"):
        logs.read_ros(path, topics=["/imu", "/fot"])
    with pytest.raises(LogError, match=r"no messages of JointState.*/chatter \(std_msgs"):
        logs.read_ros(path, topics=["/chatter"])
    with pytest.raises(ArgumentError, match="stamps is 'now'"):
        logs.read_ros(path, stamps="now")


def joint_states(names, stamp=1, positions=None, order="<"):
    """A message in CDR."""
    out = io.BytesIO()

    def put(form, value):
        size = struct.calcsize(form)
        out.write(bytes(-out.tell() % size) + struct.pack(order + form, value))

    def text(value):
        put("I", len(value) + 1)
        out.write(value.encode() + b"\0")

    put("i", stamp)
    put("I", 0)
    text("base")
    put("I", len(names))
    for name in names:
        text(name)
    for values in (positions if positions is not None else [0.5] * len(names), [], []):
        put("I", len(values))
        for value in values:
            put("d", value)
    return (b"\0\1\0\0" if order == "<" else b"\0\0\0\0") + out.getvalue()


def record(kind, content):
    return struct.pack("<BQ", kind, len(content)) + content


def text(value):
    return struct.pack("<I", len(value)) + value.encode()


def mcap(*data, kind="sensor_msgs/msg/JointState", encoding="cdr", end=True):
    """A file of messages."""
    parts = [mcap_records.MAGIC, record(1, text("") + text(""))]
    parts.append(record(3, struct.pack("<H", 1) + text(kind) + text("ros2msg") + text("")))
    parts.append(record(4, struct.pack("<HH", 1, 1) + text("/j") + text(encoding) + text("")))
    for k, item in enumerate(data):
        parts.append(record(5, struct.pack("<HIQQ", 1, k, k + 1, 0) + item))
    return b"".join(parts) + (record(15, bytes(4)) if end else b"")


def test_big_endian_messages_and_changing_joints(tmp_path):
    path = tmp_path / "a.mcap"
    path.write_bytes(
        mcap(joint_states(["a", "b"], 1, [1.0, 2.0], ">"), joint_states(["c"], 2), joint_states(["a", "b"], 3))
    )
    log = logs.load(path)
    assert log.names == ("j/position", "j-2/position")
    np.testing.assert_array_equal(log["j/position"].values, [[1.0, 2.0], [0.5, 0.5]])
    np.testing.assert_array_equal(log.time("j"), [0.0, 2.0])
    np.testing.assert_array_equal(log.time("j-2"), [1.0])


def test_messages_are_put_in_the_order_they_were_recorded(tmp_path):
    path = tmp_path / "a.mcap"
    data = mcap(joint_states(["a"], 2), joint_states(["a"], 1))
    path.write_bytes(data)
    with pytest.raises(LogError, match="time of 'j' goes back 1 times"):
        logs.load(path)
    assert len(logs.read_ros(path, time_order="drop").time("j")) == 1


def test_a_cut_recording_is_refused_or_read_as_far_as_it_goes(tmp_path):
    path = tmp_path / "a.mcap"
    path.write_bytes(mcap(joint_states(["a"], 1), joint_states(["a"], 2), end=False)[:-7])
    with pytest.raises(LogError, match=r"cut off at byte .*allow_cut=True"):
        logs.load(path)
    assert len(logs.read_ros(path, allow_cut=True).time("j")) == 1
    write_bag1(tmp_path / "a.bag")
    data = (tmp_path / "a.bag").read_bytes()
    (tmp_path / "a.bag").write_bytes(data[:-50])
    with pytest.raises(LogError, match="allow_cut=True"):
        logs.load(tmp_path / "a.bag")
    check(logs.read_ros(tmp_path / "a.bag", allow_cut=True))  # its index is cut, not its messages


def chunk(packed, data, size):
    content = struct.pack("<QQQI", 0, 0, size, 0) + text(packed) + struct.pack("<Q", len(data)) + data
    return mcap_records.MAGIC + record(6, content)


def _zstd_bomb(size):
    import zstandard

    return zstandard.ZstdCompressor().compress(bytes(size))


def _lz4_bomb(size):
    from lz4 import frame

    return frame.compress(bytes(size))


GOOD = joint_states(["a", "b"])
HOSTILE = {
    "zstd tells too much": (chunk("zstd", _zstd_bomb(1 << 28), 1 << 28), "more than the 67.1 MB allowed"),
    "zstd tells too little": (chunk("zstd", _zstd_bomb(1 << 28), 1000), "more bytes than the 1000"),
    "lz4 tells too little": (chunk("lz4", _lz4_bomb(1 << 28), 1000), "more bytes than the 1000"),
    "fewer": (chunk("lz4", _lz4_bomb(10), 1000), "fewer bytes than the 1000"),
    "huge": (chunk("zstd", _zstd_bomb(10), 1 << 60), "more than the 1073741824 allowed"),
    "no packing": (chunk("", bytes(10), 1 << 60), "tells .* bytes, but has 10"),
    "unknown packing": (chunk("rar", bytes(10), 10), "packed by 'rar'"),
    "damaged zstd": (chunk("zstd", b"\x28\xb5\x2f\xfd" + bytes(20), 10), "damaged|fewer|more"),
    "damaged lz4": (chunk("lz4", bytes(20), 10), "packed by lz4 is damaged"),
    "chunk in chunk": (chunk("", chunk("", b"", 0)[8:], len(chunk("", b"", 0)) - 8), "a chunk lies in a chunk"),
    "record beyond the end": (mcap_records.MAGIC + struct.pack("<BQ", 5, 1 << 62), "cut off"),
    "no channel": (mcap_records.MAGIC + record(5, bytes(22)), "channel 0, which does not exist"),
    "names beyond the end": (mcap(GOOD[:24] + b"\xff\xff\xff\x7f" + GOOD[28:]), "is damaged"),
    "more names than bytes": (mcap(GOOD[:24] + struct.pack("<I", 1 << 31)), "is damaged"),
    "no CDR": (mcap(b"\0\7\0\0" + GOOD[4:]), "no plain CDR"),
    "cut": (mcap(GOOD[:-30]), "message 0 .* is damaged: .* are left"),
    "positions": (mcap(joint_states(["a", "b"], 1, [1.0])), "1 numbers of position are told for 2 joints"),
    "twins": (mcap(joint_states(["a", "a"])), "two joints have the same name"),
    "no stamp": (mcap(joint_states(["a"], 0)), "use stamps='recorded'"),
    "odd name": (mcap(joint_states(["a\n*"])), "cannot be the name"),
    "many sets": (mcap(*(joint_states([f"j{k}"]) for k in range(1001))), "more than 1000 different sets"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_mcap_files_are_refused(tmp_path, name):
    data, message = HOSTILE[name]
    (tmp_path / "a.mcap").write_bytes(data)
    with pytest.raises((LogError, ArgumentError), match=message):
        logs.load(tmp_path / "a.mcap", limits=logs.Limits(memory=1 << 26))


def _bag1(*records):
    def one(header, data):
        fields = b"".join(struct.pack("<I", len(item)) + item for item in header)
        return struct.pack("<I", len(fields)) + fields + struct.pack("<I", len(data)) + data

    return b"#ROSBAG V2.0\n" + b"".join(one(*item) for item in records)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (_bag1(([b"op=\x03", b"encryptor=x"], b"")), "encrypted"),
        (_bag1(([b"noop=\x03"], b"")), "field 'op' of a record is missing"),
        (_bag1(([b"op=\x02", b"conn=" + bytes(4), b"time=" + bytes(8)], b"")), "connection 0, which does not exist"),
        (
            _bag1(([b"op=\x05", b"compression=bz2", b"size=" + struct.pack("<I", 9)], bz2.compress(bytes(1 << 24)))),
            "more bytes than the 9",
        ),
        (b"#ROSBAG V2.0\n\xff\xff\xff\xff", "cut off"),
    ],
)
def test_hostile_bags_of_ros_1_are_refused(tmp_path, data, message):
    (tmp_path / "a.bag").write_bytes(data)
    with pytest.raises(LogError, match=message):
        logs.load(tmp_path / "a.bag")


def _database(path, *statements):
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT, serialization_format TEXT)")
    base.execute("INSERT INTO topics VALUES (1, '/j', 'sensor_msgs/msg/JointState', 'cdr')")
    for statement in statements:
        base.execute(statement)
    base.commit()
    base.close()
    return path


_MESSAGES = "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB)"
_ENDLESS = (
    "CREATE VIEW messages AS WITH RECURSIVE r(id, topic_id, timestamp, data) AS "
    "(SELECT 1, 1, 1, x'00' UNION ALL SELECT id + 1, 1, 1, x'00' FROM r) SELECT * FROM r"
)


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        ((), "no table 'messages'"),
        ((_ENDLESS,), "'messages' is no plain table"),
        ((_MESSAGES.replace("data BLOB", "data BLOB AS (zeroblob(1000000000))"),), "no plain table"),
        ((_MESSAGES, "INSERT INTO messages VALUES (1, 2, 3, x'00')"), "topic 2, which does not exist"),
        ((_MESSAGES, "INSERT INTO messages VALUES (1, 1, 'now', x'00')"), "no time or no data"),
        ((_MESSAGES, "INSERT INTO messages VALUES (1, 1, 1, 'text')"), "no time or no data"),
        ((_MESSAGES, "INSERT INTO messages VALUES (1, 1, 1, zeroblob(100000000))"), "too big"),
    ],
)
def test_hostile_bags_of_ros_2_are_refused(tmp_path, statements, message):
    with pytest.raises(LogError, match=message):
        logs.load(_database(tmp_path / "a.db3", *statements))


def test_folders_without_recordings_are_told(tmp_path):
    with pytest.raises(LogError, match=r"no .mcap or .db3"):
        logs.load(tmp_path)
    (tmp_path / "a.mcap").write_bytes(b"something else")
    with pytest.raises(LogError, match="no MCAP file"):
        logs.load(tmp_path)


def test_damaged_recordings_give_errors(tmp_path):
    rng = np.random.default_rng(0)
    files = [
        write_mcap(tmp_path / "a.mcap", CompressionType.NONE),
        write_mcap(tmp_path / "b.mcap"),
        write_bag1(tmp_path / "a.bag"),
        next(write_bag2(tmp_path / "bag").glob("*.db3")),
    ]
    limits = logs.Limits(memory=1 << 26)
    for path in files:
        data = path.read_bytes()
        for k in range(60):
            broken = bytearray(data) if k % 3 else bytearray(data[: rng.integers(20, len(data))])
            for place in rng.integers(8, len(broken), k % 4):
                broken[place] = rng.integers(0, 256)
            target = tmp_path / f"broken{path.suffix}"
            target.write_bytes(broken)
            with suppress(LogError, ArgumentError):
                logs.read_ros(target, allow_cut=k % 2 == 0, limits=limits)
