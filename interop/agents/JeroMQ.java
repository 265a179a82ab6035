/*
 * The agent for JeroMQ, written against 0.3.6 (Debian's): ZMTP 2.0. The protocol is in ../README.md.
 *
 *   javac -cp jeromq.jar -d build agents/JeroMQ.java && java -cp jeromq.jar:build JeroMQ
 *
 * One thread reads a command, runs it to its end and answers with one line. This JeroMQ knows no security and no heartbeats.
 * It has monitors, but its I/O thread dies from them (an event without an address, at the first refused connection or the
 * first loss), so that this agent has no events.
 */
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

public class JeroMQ {
    static final int LITERAL_FRAME_BYTES = 64;
    static final int PATTERN_PERIOD = 251;
    static final int POLL_MS = 5;
    static final int IDLE_MS = 20;

    static final List<String> TYPES =
        Arrays.asList("PAIR", "PUB", "SUB", "REQ", "REP", "DEALER", "ROUTER", "PULL", "PUSH", "XPUB", "XSUB");

    static final ZMQ.Context context = ZMQ.context(1);
    static final Map<String, ZMQ.Socket> sockets = new LinkedHashMap<>();

    static class AgentError extends RuntimeException {
        final String code;

        AgentError(String code, String text) {
            super(text);
            this.code = code;
        }
    }

    /** An idle agent calls its sockets, so that new connections are taken up and old ones ended. */
    static void poke() {
        for (ZMQ.Socket socket : sockets.values()) socket.getEvents();
    }

    // ---- words

    static byte[] unhex(String word) {
        byte[] bytes = new byte[word.length() / 2];
        for (int index = 0; index < bytes.length; index++) {
            bytes[index] = (byte) Integer.parseInt(word.substring(1 + 2 * index, 3 + 2 * index), 16);
        }
        return bytes;
    }

    static byte[] parseFrame(String word) {
        if (word.charAt(0) == 'x') return unhex(word);
        String[] numbers = word.substring(1).split(":");
        byte[] body = new byte[Integer.parseInt(numbers[0])];
        int seed = Integer.parseInt(numbers[1]);
        for (int index = 0; index < body.length; index++) body[index] = (byte) (index % PATTERN_PERIOD + seed);
        return body;
    }

    static List<byte[]> parseMessage(String word) {
        List<byte[]> frames = new ArrayList<>();
        for (String frame : word.split(",")) frames.add(parseFrame(frame));
        return frames;
    }

    static String answerFrame(byte[] frame) {
        if (frame.length <= LITERAL_FRAME_BYTES) {
            StringBuilder text = new StringBuilder("x");
            for (byte octet : frame) text.append(String.format("%02x", octet));
            return text.toString();
        }
        CRC32 crc = new CRC32();
        crc.update(frame);
        return String.format("c%d:%08x", frame.length, crc.getValue());
    }

    static String answerMessage(List<byte[]> frames) {
        StringBuilder text = new StringBuilder();
        for (byte[] frame : frames) text.append(text.length() > 0 ? "," : "").append(answerFrame(frame));
        return text.toString();
    }

    static byte[] numberedBody(String tag, int number, int size) {
        byte[] head = String.format("%s:%08d:", tag, number).getBytes(StandardCharsets.ISO_8859_1);
        byte[] body = Arrays.copyOf(head, Math.max(size, head.length));
        Arrays.fill(body, head.length, body.length, (byte) '.');
        return body;
    }

    static byte[] topicName(String prefix, int number) {
        return String.format("%s%05d", prefix, number).getBytes(StandardCharsets.ISO_8859_1);
    }

    static void setOption(ZMQ.Socket socket, String name, String text) {
        byte[] bytes = text.charAt(0) == 'x' ? unhex(text) : null;
        boolean flag = text.equals("true");
        long number = bytes != null || flag || text.equals("false") ? 0 : Long.parseLong(text);
        switch (name) {
            case "routingId": socket.setIdentity(bytes); break;
            case "linger": socket.setLinger(number); break;
            case "reconnectInterval": socket.setReconnectIVL(number); break;
            case "reconnectMaxInterval": socket.setReconnectIVLMax(number); break;
            case "maxMessageSize": socket.setMaxMsgSize(number); break;
            case "sendHighWaterMark": socket.setSndHWM(number); break;
            case "receiveHighWaterMark": socket.setRcvHWM(number); break;
            case "sendBufferSize": socket.setSendBufferSize(number); break;
            case "receiveBufferSize": socket.setReceiveBufferSize(number); break;
            case "immediate": socket.setDelayAttachOnConnect(flag); break;
            case "mandatory": socket.setRouterMandatory(flag); break;
            case "handover": socket.setRouterHandover(flag); break;
            default: throw new AgentError("EUNSUPPORTED", "option " + name);
        }
    }

    static void setOptions(ZMQ.Socket socket, String[] words, int from) {
        for (int index = from; index < words.length; index++) {
            String[] pair = words[index].split("=", 2);
            setOption(socket, pair[0], pair[1]);
        }
    }

    // ---- messages

    interface Take {
        void take(List<byte[]> frames);
    }

    interface Body {
        byte[] at(int index);
    }

    static int receiveUpTo(ZMQ.Socket socket, int count, int ms, Take take) {
        socket.setReceiveTimeOut(ms);
        for (int received = 0; received < count; received++) {
            byte[] first = socket.recv(0);
            if (first == null) return received;
            List<byte[]> frames = new ArrayList<>();
            frames.add(first);
            while (socket.hasReceiveMore()) frames.add(socket.recv(0));
            take.take(frames);
        }
        return count;
    }

    static boolean sendFrames(ZMQ.Socket socket, List<byte[]> frames) {
        for (int index = 0; index < frames.size(); index++) {
            if (!socket.send(frames.get(index), index < frames.size() - 1 ? ZMQ.SNDMORE : 0)) return false;
        }
        return true;
    }

    static int sendUpTo(ZMQ.Socket socket, int count, int ms, Body body) {
        socket.setSendTimeOut(ms);
        for (int sent = 0; sent < count; sent++) {
            if (!socket.send(body.at(sent), 0)) return sent;
        }
        return count;
    }

    static void countBody(byte[] body, Map<String, int[]> tags) {
        int colon = 0;
        while (colon < body.length && body[colon] != ':') colon++;
        boolean tagged = colon < body.length;
        String tag = tagged ? new String(body, 0, colon, StandardCharsets.ISO_8859_1) : "?";
        int number = tagged ? Integer.parseInt(new String(body, colon + 1, 8, StandardCharsets.ISO_8859_1)) : 0;
        int[] entry = tags.get(tag);
        if (entry == null) {
            tags.put(tag, new int[] {1, number, number, 0});
            return;
        }
        if (number != entry[2] + 1) entry[3]++;
        entry[0]++;
        entry[2] = number;
    }

    // ---- commands

    static ZMQ.Socket held(String name) {
        ZMQ.Socket found = sockets.get(name);
        if (found == null) throw new AgentError("ENOTSOCK", "no socket " + name);
        return found;
    }

    static String ask(ZMQ.Socket socket, String tag, int from, int count, int size, int ms) {
        socket.setSendTimeOut(ms);
        for (int index = 0; index < count; index++) {
            int number = from + index;
            byte[] body = numberedBody(tag, number, size);
            if (!socket.send(body, 0)) throw new AgentError("EAGAIN", "number " + number + " was not accepted");
            int got = receiveUpTo(socket, 1, ms, frames -> {
                if (frames.size() != 1 || !Arrays.equals(frames.get(0), body)) {
                    throw new AgentError("EMISMATCH", "answer to number " + number);
                }
            });
            if (got == 0) throw new AgentError("EAGAIN", "no answer to number " + number);
        }
        return String.valueOf(count);
    }

    /** JeroMQ tries the ports from 49152 on for `*`, one process as the other. */
    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    static String run(String verb, String[] w) throws InterruptedException, IOException {
        switch (verb) {
            case "hello":
                return "impl=jeromq version=" + System.getProperty("jeromq.version", "unknown")
                    + " zmtp=2.0 events=none transports=tcp types="
                    + String.join(",", TYPES) + " has=";
            case "open": {
                if (!TYPES.contains(w[1])) throw new AgentError("EUNSUPPORTED", "type " + w[1]);
                ZMQ.Socket socket = context.socket(TYPES.indexOf(w[1]));
                sockets.put(w[0], socket);
                setOptions(socket, w, 2);
                return "";
            }
            case "set": setOptions(held(w[0]), w, 1); return "";
            case "bind": {
                ZMQ.Socket socket = held(w[0]);
                socket.bind(w[1].endsWith(":*") ? w[1].replace("*", String.valueOf(freePort())) : w[1]);
                return String.valueOf(zmq.ZMQ.getSocketOptionExt(socket.base(), zmq.ZMQ.ZMQ_LAST_ENDPOINT));
            }
            case "unbind": held(w[0]).unbind(w[1]); return "";
            case "disconnect": zmq.ZMQ.disconnect(held(w[0]).base(), w[1]); return "";
            case "connect": held(w[0]).connect(w[1]); return "";
            case "subscribe":
                for (int index = 1; index < w.length; index++) held(w[0]).subscribe(unhex(w[index]));
                return "";
            case "unsubscribe":
                for (int index = 1; index < w.length; index++) held(w[0]).unsubscribe(unhex(w[index]));
                return "";
            case "subscribeseq":
                for (int index = 0; index < Integer.parseInt(w[3]); index++) {
                    held(w[0]).subscribe(topicName(w[1], Integer.parseInt(w[2]) + index));
                }
                return "";
            case "send": {
                ZMQ.Socket socket = held(w[0]);
                socket.setSendTimeOut(Integer.parseInt(w[1]));
                if (!sendFrames(socket, parseMessage(w[2]))) throw new AgentError("EAGAIN", "not accepted");
                return "";
            }
            case "receive": {
                StringBuilder words = new StringBuilder();
                int received = receiveUpTo(held(w[0]), Integer.parseInt(w[1]), Integer.parseInt(w[2]),
                    frames -> words.append(' ').append(answerMessage(frames)));
                return received + words.toString();
            }
            case "stream": {
                int from = Integer.parseInt(w[2]);
                int size = Integer.parseInt(w[4]);
                return String.valueOf(sendUpTo(held(w[0]), Integer.parseInt(w[3]), Integer.parseInt(w[5]),
                    index -> numberedBody(w[1], from + index, size)));
            }
            case "burst": {
                int from = Integer.parseInt(w[2]);
                int size = Integer.parseInt(w[4]);
                return sendUpTo(held(w[0]), Integer.parseInt(w[3]), -1,
                    index -> numberedBody(w[1], from + index, size)) + " 1";
            }
            case "sendseq": {
                int from = Integer.parseInt(w[2]);
                return String.valueOf(sendUpTo(held(w[0]), Integer.parseInt(w[3]), Integer.parseInt(w[4]),
                    index -> topicName(w[1], from + index)));
            }
            case "count": {
                Map<String, int[]> tags = new LinkedHashMap<>();
                int received = receiveUpTo(held(w[0]), Integer.parseInt(w[1]), Integer.parseInt(w[2]),
                    frames -> countBody(frames.get(frames.size() - 1), tags));
                StringBuilder words = new StringBuilder(String.valueOf(received));
                tags.forEach((tag, e) -> words.append(String.format(" %s=%d/%d/%d/%d", tag, e[0], e[1], e[2], e[3])));
                return words.toString();
            }
            case "ask":
                return ask(held(w[0]), w[1], Integer.parseInt(w[2]), Integer.parseInt(w[3]),
                    Integer.parseInt(w[4]), Integer.parseInt(w[5]));
            case "answer": {
                ZMQ.Socket socket = held(w[0]);
                socket.setSendTimeOut(Integer.parseInt(w[2]));
                return String.valueOf(receiveUpTo(socket, Integer.parseInt(w[1]), Integer.parseInt(w[2]),
                    frames -> sendFrames(socket, frames)));
            }
            case "close": sockets.remove(w[0]).close(); return "";
            case "reset":
                for (ZMQ.Socket socket : sockets.values()) {
                    socket.setLinger(0);
                    socket.close();
                }
                sockets.clear();
                return "";
            default: throw new AgentError("EUNSUPPORTED", "command " + verb);
        }
    }

    /** JeroMQ's numbers of errors are its own. */
    static String codeOf(int number) {
        for (Field field : zmq.ZError.class.getFields()) {
            try {
                if (field.getType() == int.class && field.getInt(null) == number) return field.getName();
            } catch (IllegalAccessException error) {
                continue;
            }
        }
        return "E" + number;
    }

    static String obey(String verb, String[] words) {
        try {
            return ("ok " + run(verb, words)).trim();
        } catch (AgentError error) {
            return "error " + error.code + " " + error.getMessage();
        } catch (ZMQException error) {
            return "error " + codeOf(error.getErrorCode()) + " " + error;
        } catch (Exception error) {
            return ("error EFAILED " + error).replace('\n', ' ');
        }
    }

    /** The lines of stdin, read by a thread of their own so that the agent can do something else meanwhile. */
    static BlockingQueue<String> lines() {
        BlockingQueue<String> queue = new LinkedBlockingQueue<>();
        Thread reader = new Thread(() -> {
            try {
                BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.ISO_8859_1));
                for (String line = in.readLine(); line != null; line = in.readLine()) queue.add(line);
            } catch (IOException error) {
                error.printStackTrace();
            }
            queue.add("0 quit");
        });
        reader.setDaemon(true);
        reader.start();
        return queue;
    }

    public static void main(String[] arguments) throws Exception {
        // JeroMQ's I/O thread dies after a loss with an interval of 0 (it divides by it), and the sockets of later cases would be
        // deaf: the agent ends with it, so that it is not used again.
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> {
            error.printStackTrace();
            Runtime.getRuntime().halt(1);
        });
        PrintStream out = new PrintStream(System.out, true, "ISO-8859-1");
        BlockingQueue<String> queue = lines();
        for (;;) {
            String line = queue.poll(IDLE_MS, TimeUnit.MILLISECONDS);
            if (line == null) {
                poke();
                continue;
            }
            String[] words = line.split(" ");
            // The context is not terminated: what lingers must not hold up the end.
            if (words[1].equals("quit")) Runtime.getRuntime().halt(0);
            out.println(words[0] + " " + obey(words[1], Arrays.copyOfRange(words, 2, words.length)));
        }
    }
}
