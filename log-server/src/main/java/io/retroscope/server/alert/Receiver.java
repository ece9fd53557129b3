// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.alert;

import io.retroscope.event.Value;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.JsonText;
import io.retroscope.rql.json.JsonValues;
import java.io.IOException;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A receiver of messages, one at a time or several together. Used by one thread. */
sealed interface Receiver {
  /** The number of messages of which a text shows more than their number. */
  int MAX_SHOWN = 10;

  /** Its name in the operator's file. */
  String name();

  /**
   * Delivers messages.
   *
   * @param messages in their order, at least one, the last of each episode
   * @param omitted the number of messages that had no place in the outbox
   * @throws IOException if they are not accepted; the message contains no secret
   */
  void deliver(List<AlertMessage> messages, long omitted) throws IOException, InterruptedException;

  /** Whether it forgets what fires unless it is sent again. */
  default boolean wantsRepetition() {
    return false;
  }

  /** The messages as an array of JSON. */
  static String json(List<AlertMessage> messages) {
    return messages.stream()
        .map(message -> JsonValues.text(message.fields()))
        .collect(Collectors.joining(",", "[", "]"));
  }

  /** The messages as text, the first ones in full. */
  static String text(List<AlertMessage> messages, long omitted) {
    String shown =
        messages.stream()
            .limit(MAX_SHOWN)
            .map(AlertMessage::toText)
            .collect(Collectors.joining("\n\n"));
    long more = messages.size() - Math.min(MAX_SHOWN, messages.size()) + omitted;
    return more == 0
        ? shown
        : shown + "\n\nand %,d more: retroscope alerts history".formatted(more);
  }

  /** A POST of {@code {"messages": [...], "omitted": n}}. */
  record Webhook(String name, HttpSender sender) implements Receiver {
    @Override
    public void deliver(List<AlertMessage> messages, long omitted)
        throws IOException, InterruptedException {
      String key = messages.size() == 1 ? messages.get(0).text("key") : "";
      String body =
          JsonText.object(
              out -> {
                out.writeName("messages").writeRawValue(json(messages));
                out.writeNumberProperty("omitted", omitted);
              });
      sender.send(body, key);
    }
  }

  /** Alertmanager's own API, version 2. */
  record AlertmanagerApi(String name, HttpSender sender) implements Receiver {
    @Override
    public void deliver(List<AlertMessage> messages, long omitted)
        throws IOException, InterruptedException {
      sender.send(
          messages.stream()
              .map(AlertmanagerApi::alert)
              .map(JsonValues::text)
              .collect(Collectors.joining(",", "[", "]")),
          "");
    }

    @Override
    public boolean wantsRepetition() {
      return true;
    }

    private static StructValue alert(AlertMessage message) {
      Map<String, Value> labels = new LinkedHashMap<>();
      if (message.fields().fields().get("labels") instanceof StructValue own) {
        labels.putAll(own.fields());
      }
      labels.put("alertname", Value.of(message.text("alert")));
      labels.put("severity", Value.of(message.text("severity")));
      if (!message.text("item").isEmpty()) {
        labels.put("item", Value.of(message.text("item")));
      }
      if (message.is("test")) {
        labels.put("test", Value.of("true"));
      }
      Map<String, Value> annotations = new LinkedHashMap<>();
      annotations.put("summary", Value.of(message.text("summary")));
      annotations.put("description", Value.of(message.toText()));
      annotations.put("episode", Value.of(message.text("episode")));
      annotations.put("runbook_url", Value.of(message.text("runbook")));
      annotations.values().removeIf(Value.of("")::equals);
      Map<String, Value> alert = new LinkedHashMap<>();
      alert.put("labels", new StructValue(labels));
      alert.put("annotations", new StructValue(annotations));
      alert.put("startsAt", Value.of(message.text("startsAt")));
      if (!message.isFiring()) {
        // Alertmanager takes an end in the past as the end, however long ago it is.
        String end = message.text("endsAt");
        alert.put("endsAt", Value.of(end.isEmpty() ? message.text("startsAt") : end));
      }
      return new StructValue(alert);
    }
  }

  /** A POST of {@code {"text": "..."}}, which Slack, Mattermost and others take. */
  record Slack(String name, HttpSender sender) implements Receiver {
    @Override
    public void deliver(List<AlertMessage> messages, long omitted)
        throws IOException, InterruptedException {
      String text = Receiver.text(messages, omitted);
      sender.send(JsonValues.text(new StructValue(Map.of("text", Value.of(text)))), "");
    }
  }

  /** A program that gets the messages as lines of JSON on its standard input. */
  record Command(String name, List<String> words) implements Receiver {
    private static final long PATIENCE_SECONDS = 30;

    /** Copies the list. */
    public Command {
      words = List.copyOf(words);
    }

    @Override
    public void deliver(List<AlertMessage> messages, long omitted)
        throws IOException, InterruptedException {
      Process process =
          new ProcessBuilder(words)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      try {
        Thread writer = new Thread(() -> write(process, messages), "alert-command");
        writer.setDaemon(true);
        writer.start();
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
          throw new IOException(
              "%s did not end within %d s".formatted(words.get(0), PATIENCE_SECONDS));
        }
      } finally {
        process.destroyForcibly();
      }
      if (process.exitValue() != 0) {
        throw new IOException("%s ended with %d".formatted(words.get(0), process.exitValue()));
      }
    }

    private static void write(Process process, List<AlertMessage> messages) {
      try (OutputStream in = process.getOutputStream()) {
        for (AlertMessage message : messages) {
          in.write((JsonValues.text(message.fields()) + "\n").getBytes(StandardCharsets.UTF_8));
        }
      } catch (IOException e) {
        // A program may end without reading everything; its exit code decides.
      }
    }
  }

  /** Datagrams as RFC 5424 has them. */
  record Syslog(String name, String host, int port) implements Receiver {
    /** The largest message that each receiver must take. */
    private static final int MAX_BYTES = 2_048;

    /** Facility daemon, severity error and severity notice. */
    private static final int FIRING = 3 * 8 + 3;

    private static final int RESOLVED = 3 * 8 + 5;
    private static final int DEFAULT_PORT = 514;

    static Syslog at(String name, String address) {
      int colon = address.lastIndexOf(':');
      try {
        return colon < 0
            ? new Syslog(name, address, DEFAULT_PORT)
            : new Syslog(
                name, address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException("%s is no HOST:PORT".formatted(address), e);
      }
    }

    @Override
    public void deliver(List<AlertMessage> messages, long omitted) throws IOException {
      try (DatagramSocket socket = new DatagramSocket()) {
        InetSocketAddress to = new InetSocketAddress(InetAddress.getByName(host), port);
        for (AlertMessage message : messages) {
          byte[] line = line(message);
          socket.send(new DatagramPacket(line, Math.min(MAX_BYTES, line.length), to));
        }
      }
    }

    private static byte[] line(AlertMessage message) {
      return "<%d>1 - - retroscope - - - %s"
          .formatted(message.isFiring() ? FIRING : RESOLVED, message.toText().replace("\n", "; "))
          .getBytes(StandardCharsets.UTF_8);
    }
  }
}
