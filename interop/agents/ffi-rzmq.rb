# The agent for Ruby's ffi-rzmq. The protocol is in ../README.md.
#
# One thread reads a command, runs it to its end and answers with one line. Every socket has a monitor, which is read only
# by `wait` and `events`.

require "ffi-rzmq"
require "zlib"

LITERAL_FRAME_BYTES = 64
PATTERN_PERIOD = 251
POLL_SECONDS = 0.005
IDLE_SECONDS = 0.02
ZAP_ATTEMPTS = 200
ZAP_ENDPOINT = "inproc://zeromq.zap.01"

TYPES = %w[PAIR PUB SUB REQ REP DEALER ROUTER PULL PUSH XPUB XSUB STREAM].freeze

OPTIONS = {
  "routingId" => ZMQ::IDENTITY,
  "linger" => ZMQ::LINGER,
  "reconnectInterval" => ZMQ::RECONNECT_IVL,
  "reconnectMaxInterval" => ZMQ::RECONNECT_IVL_MAX,
  "maxMessageSize" => ZMQ::MAXMSGSIZE,
  "sendHighWaterMark" => ZMQ::SNDHWM,
  "receiveHighWaterMark" => ZMQ::RCVHWM,
  "sendBufferSize" => ZMQ::SNDBUF,
  "receiveBufferSize" => ZMQ::RCVBUF,
  "immediate" => ZMQ::IMMEDIATE,
  "ipv6" => ZMQ::IPV6,
  "handshakeInterval" => ZMQ::HANDSHAKE_IVL,
  "heartbeatInterval" => ZMQ::HEARTBEAT_IVL,
  "heartbeatTimeout" => ZMQ::HEARTBEAT_TIMEOUT,
  "heartbeatTimeToLive" => ZMQ::HEARTBEAT_TTL,
  "mandatory" => ZMQ::ROUTER_MANDATORY,
  "handover" => ZMQ::ROUTER_HANDOVER,
  "probeRouter" => ZMQ::PROBE_ROUTER,
  "correlate" => ZMQ::REQ_CORRELATE,
  "relaxed" => ZMQ::REQ_RELAXED,
  "conflate" => ZMQ::CONFLATE,
  "noDrop" => ZMQ::XPUB_NODROP,
  "invertMatching" => ZMQ::INVERT_MATCHING,
  "manual" => ZMQ::XPUB_MANUAL,
  "welcomeMessage" => ZMQ::XPUB_WELCOME_MSG,
  "notify" => ZMQ::STREAM_NOTIFY,
  "plainServer" => ZMQ::PLAIN_SERVER,
  "plainUsername" => ZMQ::PLAIN_USERNAME,
  "plainPassword" => ZMQ::PLAIN_PASSWORD,
  "curveServer" => ZMQ::CURVE_SERVER,
  "curvePublicKey" => ZMQ::CURVE_PUBLICKEY,
  "curveSecretKey" => ZMQ::CURVE_SECRETKEY,
  "curveServerKey" => ZMQ::CURVE_SERVERKEY,
  "zapDomain" => ZMQ::ZAP_DOMAIN
}.freeze

# The gem does not name the events of handshakes.
EVENTS = {
  0x0001 => "connect",
  0x0002 => "connect:delay",
  0x0004 => "connect:retry",
  0x0008 => "bind",
  0x0010 => "bind:error",
  0x0020 => "accept",
  0x0040 => "accept:error",
  0x0080 => "close",
  0x0100 => "close:error",
  0x0200 => "disconnect",
  0x0800 => "handshake:error:other",
  0x1000 => "handshake",
  0x2000 => "handshake:error:protocol",
  0x4000 => "handshake:error:auth"
}.freeze
ALL_EVENTS = 0xffff

CONTEXT = ZMQ::Context.new
SOCKETS = {}

class AgentError < StandardError
  attr_reader :code

  def initialize(code, text)
    super(text)
    @code = code
  end
end

# Raises what the last call failed with.
def check(result)
  return result if ZMQ::Util.resultcode_ok?(result)

  number = ZMQ::Util.errno
  known = Errno.constants.find { |name| Errno.const_get(name)::Errno == number rescue false }
  raise AgentError.new(known ? known.to_s : "E#{number}", ZMQ::Util.error_string)
end

def again?
  ZMQ::Util.errno == ZMQ::EAGAIN
end

# An open socket, its monitor, and how often each event was seen.
class Held
  attr_reader :socket, :seen

  @@number = 0

  def initialize(kind)
    @socket = CONTEXT.socket(ZMQ.const_get(kind))
    @seen = Hash.new(0)
    address = "inproc://monitor.#{@@number += 1}"
    check LibZMQ.zmq_socket_monitor(@socket.socket, address, ALL_EVENTS)
    @monitor = CONTEXT.socket(ZMQ::PAIR)
    @monitor.setsockopt(ZMQ::LINGER, 0)
    check @monitor.connect(address)
  end

  def read_events
    frames = []
    while ZMQ::Util.resultcode_ok?(@monitor.recv_strings(frames, ZMQ::DONTWAIT))
      name = EVENTS[frames[0].unpack1("S")]
      @seen[name] += 1 if name
      frames = []
    end
  end

  def close
    LibZMQ.zmq_socket_monitor(@socket.socket, nil, 0)
    @monitor.close
    @socket.close
  end
end

# libzmq takes up new connections, and ends old ones, only while the application calls it: so an idle agent calls.
def poke
  SOCKETS.each_value { |held| held.socket.getsockopt(ZMQ::EVENTS, []) }
end

# ---- words

def unhex(word)
  [word[1..]].pack("H*")
end

def pattern(size, seed)
  period = Array.new(PATTERN_PERIOD) { |index| (index + seed) % 256 }.pack("C*")
  (period * (size / PATTERN_PERIOD + 1)).byteslice(0, size)
end

def parse_frame(word)
  return unhex(word) if word[0] == "x"

  size, seed = word[1..].split(":")
  pattern(size.to_i, seed.to_i)
end

def answer_frame(frame)
  return "x#{frame.unpack1("H*")}" if frame.bytesize <= LITERAL_FRAME_BYTES

  format("c%d:%08x", frame.bytesize, Zlib.crc32(frame))
end

def numbered_body(tag, number, size)
  format("%s:%08d:", tag, number).ljust(size, ".")
end

def topic_name(prefix, number)
  format("%s%05d", prefix, number)
end

def set_options(socket, words)
  words.each do |word|
    name, text = word.split("=", 2)
    raise AgentError.new("EUNSUPPORTED", "option #{name}") unless OPTIONS.key?(name)

    # Straight to the library: the gem's table does not say of every option what it takes.
    if text[0] == "x"
      value = unhex(text)
      memory = FFI::MemoryPointer.new(:char, [value.bytesize, 1].max)
      memory.put_bytes(0, value)
      check LibZMQ.zmq_setsockopt(socket.socket, OPTIONS[name], memory, value.bytesize)
      next
    end
    number = { "true" => 1, "false" => 0 }.fetch(text) { text.to_i }
    size = OPTIONS[name] == ZMQ::MAXMSGSIZE ? 8 : 4
    memory = FFI::MemoryPointer.new(:char, 8)
    size == 8 ? memory.put_int64(0, number) : memory.put_int32(0, number)
    check LibZMQ.zmq_setsockopt(socket.socket, OPTIONS[name], memory, size)
  end
end

# ---- messages

def receive_up_to(socket, count, ms)
  check socket.setsockopt(ZMQ::RCVTIMEO, ms)
  received = 0
  while received < count
    frames = []
    unless ZMQ::Util.resultcode_ok?(socket.recv_strings(frames))
      break if again?

      check(-1)
    end
    yield frames
    received += 1
  end
  received
end

def send_up_to(socket, count, ms)
  check socket.setsockopt(ZMQ::SNDTIMEO, ms)
  sent = 0
  while sent < count
    unless ZMQ::Util.resultcode_ok?(socket.send_string(yield(sent)))
      break if again?

      check(-1)
    end
    sent += 1
  end
  sent
end

def count_body(body, tags)
  tag, colon, rest = body.partition(":")
  name = colon.empty? ? "?" : tag
  number = colon.empty? ? 0 : rest[0, 8].to_i
  entry = tags[name]
  if entry.nil?
    tags[name] = [1, number, number, 0]
    return
  end
  entry[3] += 1 if number != entry[2] + 1
  entry[0] += 1
  entry[2] = number
end

# A ZAP handler that knows one set of credentials.
class Zap
  def initialize(kind, credentials)
    @runs = true
    @socket = CONTEXT.socket(ZMQ::REP)
    @socket.setsockopt(ZMQ::LINGER, 0)
    @socket.setsockopt(ZMQ::RCVTIMEO, 20)
    # The handler before it may still be on its way out.
    ZAP_ATTEMPTS.times do |attempt|
      result = @socket.bind(ZAP_ENDPOINT)
      break if ZMQ::Util.resultcode_ok?(result)

      check(result) if attempt == ZAP_ATTEMPTS - 1
      sleep POLL_SECONDS
    end
    @thread = Thread.new { serve(kind.upcase, credentials) }
  end

  def serve(mechanism, credentials)
    while @runs
      frames = []
      next unless ZMQ::Util.resultcode_ok?(@socket.recv_strings(frames))

      good = frames[5] == mechanism && frames[6..] == credentials
      @socket.send_strings(frames[0, 2] + (good ? ["200", "OK", "user", ""] : ["400", "No", "", ""]))
    end
    @socket.close
  end

  def stop
    @runs = false
    @thread.join
  end
end

# ---- commands

def held(name)
  SOCKETS.fetch(name) { raise AgentError.new("ENOTSOCK", "no socket #{name}") }
end

def each_topic(name, option, topics)
  topics.each do |topic|
    value = unhex(topic)
    memory = FFI::MemoryPointer.new(:char, [value.bytesize, 1].max)
    memory.put_bytes(0, value)
    check LibZMQ.zmq_setsockopt(held(name).socket.socket, option, memory, value.bytesize)
  end
  nil
end

def wait_for(name, event, count, ms)
  one = held(name)
  stop = Process.clock_gettime(Process::CLOCK_MONOTONIC) + ms / 1000.0
  loop do
    one.read_events
    break if one.seen[event] >= count || Process.clock_gettime(Process::CLOCK_MONOTONIC) >= stop

    poke
    sleep POLL_SECONDS
  end
  [one.seen[event]]
end

def ask(socket, tag, first, count, size, ms)
  check socket.setsockopt(ZMQ::SNDTIMEO, ms)
  count.times do |index|
    body = numbered_body(tag, first + index, size)
    check socket.send_string(body)
    got = receive_up_to(socket, 1, ms) do |frames|
      raise AgentError.new("EMISMATCH", "answer to number #{first + index}") unless frames == [body]
    end
    raise AgentError.new("EAGAIN", "no answer to number #{first + index}") if got.zero?
  end
  [count]
end

COMMANDS = {
  "hello" => lambda {
    version = LibZMQ.version.values_at(:major, :minor, :patch).join(".")
    has = ZMQ::Util.curve_keypair ? "plain,curve" : "plain"
    ["impl=ffi-rzmq", "version=#{ZMQ::VERSION}", "library=#{version}", "types=#{TYPES.join(",")}", "has=#{has}"]
  },
  "open" => lambda { |name, kind, *options|
    raise AgentError.new("EUNSUPPORTED", "type #{kind}") unless TYPES.include?(kind)

    SOCKETS[name] = Held.new(kind)
    set_options(SOCKETS[name].socket, options)
    nil
  },
  "set" => ->(name, *options) { set_options(held(name).socket, options) && nil },
  "bind" => lambda { |name, endpoint|
    check held(name).socket.bind(endpoint)
    found = []
    check held(name).socket.getsockopt(ZMQ::LAST_ENDPOINT, found)
    [found[0].delete("\0")]
  },
  "unbind" => ->(name, endpoint) { check(held(name).socket.unbind(endpoint)) && nil },
  "connect" => ->(name, endpoint) { check(held(name).socket.connect(endpoint)) && nil },
  "disconnect" => ->(name, endpoint) { check(held(name).socket.disconnect(endpoint)) && nil },
  "subscribe" => ->(name, *topics) { each_topic(name, ZMQ::SUBSCRIBE, topics) },
  "unsubscribe" => ->(name, *topics) { each_topic(name, ZMQ::UNSUBSCRIBE, topics) },
  "subscribeseq" => lambda { |name, prefix, first, count|
    count.to_i.times { |index| check held(name).socket.setsockopt(ZMQ::SUBSCRIBE, topic_name(prefix, first.to_i + index)) }
    nil
  },
  "send" => lambda { |name, ms, message|
    socket = held(name).socket
    check socket.setsockopt(ZMQ::SNDTIMEO, ms.to_i)
    check socket.send_strings(message.split(",").map { |word| parse_frame(word) })
    nil
  },
  "receive" => lambda { |name, count, ms|
    words = []
    received = receive_up_to(held(name).socket, count.to_i, ms.to_i) do |frames|
      words << frames.map { |frame| answer_frame(frame) }.join(",")
    end
    [received, *words]
  },
  "stream" => lambda { |name, tag, first, count, size, ms|
    sent = send_up_to(held(name).socket, count.to_i, ms.to_i) { |index| numbered_body(tag, first.to_i + index, size.to_i) }
    [sent]
  },
  "burst" => lambda { |name, tag, first, count, size|
    sent = send_up_to(held(name).socket, count.to_i, -1) { |index| numbered_body(tag, first.to_i + index, size.to_i) }
    [sent, 1]
  },
  "sendseq" => lambda { |name, prefix, first, count, ms|
    [send_up_to(held(name).socket, count.to_i, ms.to_i) { |index| topic_name(prefix, first.to_i + index) }]
  },
  "count" => lambda { |name, count, ms|
    tags = {}
    received = receive_up_to(held(name).socket, count.to_i, ms.to_i) { |frames| count_body(frames[-1], tags) }
    [received, *tags.map { |tag, entry| "#{tag}=#{entry.join("/")}" }]
  },
  "ask" => lambda { |name, tag, first, count, size, ms|
    ask(held(name).socket, tag, first.to_i, count.to_i, size.to_i, ms.to_i)
  },
  "answer" => lambda { |name, count, ms|
    socket = held(name).socket
    check socket.setsockopt(ZMQ::SNDTIMEO, ms.to_i)
    [receive_up_to(socket, count.to_i, ms.to_i) { |frames| check socket.send_strings(frames) }]
  },
  "wait" => ->(name, event, count, ms) { wait_for(name, event, count.to_i, ms.to_i) },
  "events" => lambda { |name|
    held(name).read_events
    held(name).seen.map { |event, times| "#{event}=#{times}" }
  },
  "zap" => lambda { |kind, *credentials|
    $zap&.stop
    $zap = kind == "off" ? nil : Zap.new(kind, credentials.map { |word| unhex(word) })
    nil
  },
  "close" => ->(name) { SOCKETS.delete(name).close && nil },
  "reset" => lambda {
    SOCKETS.each_value do |one|
      one.socket.setsockopt(ZMQ::LINGER, 0)
      one.close
    end
    SOCKETS.clear
    $zap&.stop
    $zap = nil
  }
}.freeze

def obey(verb, words)
  raise AgentError.new("EUNSUPPORTED", "command #{verb}") unless COMMANDS.key?(verb)

  ["ok", *COMMANDS[verb].call(*words)].join(" ")
rescue AgentError => error
  "error #{error.code} #{error.message}"
rescue StandardError => error
  "error EFAILED #{error.class}: #{error.message}".tr("\n", " ")
end

$stdout.sync = true
rest = +""
loop do
  poke until IO.select([$stdin], nil, nil, IDLE_SECONDS)
  begin
    rest << $stdin.readpartial(65_536)
  rescue EOFError
    break
  end
  *lines, rest = rest.split("\n", -1)
  lines.each do |line|
    number, verb, *words = line.split(" ")
    # The context is not terminated: what lingers must not hold up the end.
    Process.exit!(0) if verb == "quit"
    puts "#{number} #{obey(verb, words)}"
  end
  rest = +rest
end
Process.exit!(0)
