// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import io.retroscope.event.BlockFrame;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import java.util.zip.GZIPInputStream;

/**
 * A log server's socket with scripted answers, which implements the necessary parts of RFC 6455.
 */
final class FakeSocketServer implements AutoCloseable {
  private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  private static final int TEXT = 1;
  private static final int BINARY = 2;
  private static final int CLOSE = 8;

  final List<BlockFrame> frames = new CopyOnWriteArrayList<>();
  final List<Integer> closeCodes = new CopyOnWriteArrayList<>();
  final List<Map<String, String>> handshakes = new CopyOnWriteArrayList<>();
  final List<String> others = new CopyOnWriteArrayList<>();
  private final List<Socket> open = new CopyOnWriteArrayList<>();
  private final ServerSocket server;

  /** The first message on each connection. */
  volatile String greeting = "{\"listen\":false}";

  /** Creates the answer to a batch of that number; empty for none, "close" to disconnect. */
  volatile BiFunction<Integer, List<BlockFrame>, String> answer =
      (number, batch) ->
          batch.get(0) instanceof EventBlock block && block.isEmpty()
              ? ""
              : "{\"batch\":" + number + ",\"accepted\":" + batch.size() + "}";

  FakeSocketServer() throws IOException {
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(
        () -> {
          while (true) {
            Socket socket = server.accept();
            open.add(socket);
            start(() -> serve(socket));
          }
        });
  }

  private interface Task {
    void run() throws IOException;
  }

  private static void start(Task task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (IOException e) {
                // A connection ended.
              }
            },
            "fake-socket-server");
    thread.setDaemon(true);
    thread.start();
  }

  private void serve(Socket socket) throws IOException {
    try (socket) {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      String request = line(in);
      Map<String, String> headers = new HashMap<>();
      for (String line = line(in); !line.isEmpty(); line = line(in)) {
        int colon = line.indexOf(':');
        headers.put(
            line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
      }
      if (!headers.containsKey("sec-websocket-key")) {
        others.add(request);
        return;
      }
      headers.put("", request);
      handshakes.add(headers);
      OutputStream out = socket.getOutputStream();
      out.write(
          ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                  + "Sec-WebSocket-Accept: "
                  + accept(headers.get("sec-websocket-key"))
                  + "\r\n\r\n")
              .getBytes(StandardCharsets.US_ASCII));
      if (!greeting.isEmpty()) {
        send(out, TEXT, greeting.getBytes(StandardCharsets.UTF_8));
      }
      for (int number = 1; converse(in, out, number); number++) {}
    }
  }

  private static String accept(String key) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-1");
      return Base64.getEncoder()
          .encodeToString(sha.digest((key + GUID).getBytes(StandardCharsets.US_ASCII)));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private static String line(DataInputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.readUnsignedByte(); c != '\n'; c = in.readUnsignedByte()) {
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  private boolean converse(DataInputStream in, OutputStream out, int number) throws IOException {
    int opcode = in.readUnsignedByte() & 0xf;
    byte[] payload = payload(in);
    if (opcode == CLOSE) {
      closeCodes.add((int) ByteBuffer.wrap(payload).getShort());
      send(out, CLOSE, payload);
      return false;
    }
    if (opcode != BINARY) {
      throw new IOException("unexpected opcode " + opcode);
    }
    boolean packed = payload[0] == 0x1f;
    byte[] body =
        packed ? new GZIPInputStream(new ByteArrayInputStream(payload)).readAllBytes() : payload;
    List<BlockFrame> batch = EventBlockCodec.decodeAll(body);
    String text = answer.apply(number, batch);
    if (text.equals("close")) {
      return false;
    }
    if (text.isEmpty() || text.contains("\"accepted\"")) {
      frames.addAll(batch);
    }
    if (!text.isEmpty()) {
      send(out, TEXT, text.getBytes(StandardCharsets.UTF_8));
    }
    return true;
  }

  private static byte[] payload(DataInputStream in) throws IOException {
    int length = in.readUnsignedByte() & 0x7f;
    long size = length == 126 ? in.readUnsignedShort() : length == 127 ? in.readLong() : length;
    byte[] mask = in.readNBytes(4);
    byte[] payload = in.readNBytes((int) size);
    for (int i = 0; i < payload.length; i++) {
      payload[i] ^= mask[i % 4];
    }
    return payload;
  }

  private static synchronized void send(OutputStream out, int opcode, byte[] payload)
      throws IOException {
    ByteBuffer frame = ByteBuffer.allocate(payload.length + 10);
    frame.put((byte) (0x80 | opcode));
    if (payload.length < 126) {
      frame.put((byte) payload.length);
    } else {
      frame.put((byte) 127).putLong(payload.length);
    }
    frame.put(payload);
    out.write(frame.array(), 0, frame.position());
    out.flush();
  }

  /** Sends a text on every connection. */
  void say(String text) throws IOException {
    for (Socket socket : open) {
      if (!socket.isClosed()) {
        send(socket.getOutputStream(), TEXT, text.getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  /** Drops every connection without a close message. */
  void cut() throws IOException {
    for (Socket socket : open) {
      socket.close();
    }
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getLocalPort());
  }

  List<Long> numbers() {
    return frames.stream()
        .filter(frame -> frame instanceof EventBlock block && !block.isEmpty())
        .map(frame -> ((EventBlock) frame).number())
        .toList();
  }

  @Override
  public void close() throws IOException {
    server.close();
    cut();
  }
}
