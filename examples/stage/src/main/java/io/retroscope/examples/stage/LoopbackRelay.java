// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A TCP relay on the loopback interface whose link can be slowed down or paused at run time. Bytes
 * keep their order. Thread-safe.
 */
public final class LoopbackRelay implements AutoCloseable {
  /**
   * The maximum number of chunks that one direction of a connection holds back; beyond it the
   * sender is slowed down.
   */
  static final int MAX_HELD_CHUNK_COUNT = 4_096;

  private static final int CHUNK_BYTES = 16 * 1024;
  private static final int BACKLOG = 16;

  private final int targetPort;
  private final ServerSocket listener;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final Object link = new Object();

  /* Both guarded by `link`, on which every direction waits for its next chunk's time. */
  private long delayNanos;
  private boolean paused;

  private LoopbackRelay(int targetPort) throws IOException {
    this.targetPort = targetPort;
    this.listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
  }

  /**
   * Opens a relay on a free port, initially without delay.
   *
   * @param targetPort the loopback port to which connections are relayed
   */
  public static LoopbackRelay to(int targetPort) {
    try {
      LoopbackRelay relay = new LoopbackRelay(targetPort);
      relay.start("relay-" + relay.port(), relay::acceptAll);
      return relay;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot open a relay on the loopback interface", e);
    }
  }

  /** The port to connect to instead of the target's. */
  public int port() {
    return listener.getLocalPort();
  }

  /**
   * Delays each direction, including bytes in flight.
   *
   * @param millis 0 or more
   */
  public void delayMillis(long millis) {
    if (millis < 0) {
      throw new IllegalArgumentException("delay < 0 ms: " + millis);
    }
    synchronized (link) {
      delayNanos = millis * 1_000_000;
      link.notifyAll();
    }
  }

  /** Blocks all bytes until {@link #resume()}; connections remain open. */
  public void pause() {
    synchronized (link) {
      paused = true;
    }
  }

  /** Ends a pause. */
  public void resume() {
    synchronized (link) {
      paused = false;
      link.notifyAll();
    }
  }

  /** Ends the relay and its connections. */
  @Override
  public void close() {
    closeQuietly(listener);
    sockets.forEach(LoopbackRelay::closeQuietly);
    resume();
  }

  private void acceptAll() {
    while (!listener.isClosed()) {
      try {
        connect(listener.accept());
      } catch (IOException e) {
        // The relay is closed, or the target is not available yet: the client's connection ends,
        // and it retries.
      }
    }
  }

  private void connect(Socket client) throws IOException {
    sockets.add(client);
    Socket target;
    try {
      target = new Socket(InetAddress.getLoopbackAddress(), targetPort);
    } catch (IOException e) {
      release(client);
      throw e;
    }
    sockets.add(target);
    client.setTcpNoDelay(true);
    target.setTcpNoDelay(true);
    new Direction(client, target).start();
    new Direction(target, client).start();
    if (listener.isClosed()) {
      release(client);
      release(target);
    }
  }

  private void release(Socket socket) {
    closeQuietly(socket);
    sockets.remove(socket);
  }

  private void start(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }

  private static void closeQuietly(AutoCloseable closeable) {
    try {
      closeable.close();
    } catch (Exception e) {
      // There is no caller to report this to.
    }
  }

  /** Bytes that arrived together; empty for the end of the stream. */
  private record Chunk(ByteBuffer bytes, long arrivedNanos) {}

  /** One direction of one connection: a reader, and a writer that holds chunks until their time. */
  private final class Direction {
    private final Socket from;
    private final Socket to;

    /* Guarded by `link`. */
    private final ArrayDeque<Chunk> held = new ArrayDeque<>();
    private boolean broken;

    Direction(Socket from, Socket to) {
      this.from = from;
      this.to = to;
    }

    void start() {
      LoopbackRelay.this.start("relay-read-" + from.getPort(), this::readAll);
      LoopbackRelay.this.start("relay-write-" + to.getPort(), this::writeAll);
    }

    private void readAll() {
      byte[] buffer = new byte[CHUNK_BYTES];
      try {
        int count;
        while ((count = from.getInputStream().read(buffer)) >= 0) {
          hold(ByteBuffer.wrap(Arrays.copyOf(buffer, count)));
        }
      } catch (IOException | InterruptedException e) {
        // One end is closed: only the end of the stream remains to be passed on.
      }
      end();
    }

    private void hold(ByteBuffer bytes) throws InterruptedException {
      synchronized (link) {
        while (held.size() >= MAX_HELD_CHUNK_COUNT && !broken) {
          link.wait();
        }
        held.add(new Chunk(bytes, System.nanoTime()));
        link.notifyAll();
      }
    }

    private void end() {
      synchronized (link) {
        held.add(new Chunk(ByteBuffer.allocate(0), System.nanoTime()));
        link.notifyAll();
      }
    }

    private void writeAll() {
      try {
        WritableByteChannel out = Channels.newChannel(to.getOutputStream());
        for (ByteBuffer bytes = next(); bytes.hasRemaining(); bytes = next()) {
          out.write(bytes);
        }
      } catch (IOException | InterruptedException e) {
        // One end is closed: both are closed below.
      }
      synchronized (link) {
        broken = true;
        link.notifyAll();
      }
      release(from);
      release(to);
    }

    private ByteBuffer next() throws InterruptedException {
      synchronized (link) {
        while (true) {
          Chunk first = held.peek();
          if (first == null || paused) {
            link.wait();
            continue;
          }
          long waitNanos = first.arrivedNanos() + delayNanos - System.nanoTime();
          if (waitNanos <= 0) {
            held.remove();
            link.notifyAll();
            return first.bytes();
          }
          link.wait(waitNanos / 1_000_000, (int) (waitNanos % 1_000_000));
        }
      }
    }
  }
}
