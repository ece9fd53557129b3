// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import io.retroscope.clock.PhysicalClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * The client of a zone, which sends one command after the other and notes those that are done. Used
 * by the thread of its lane.
 */
final class Client implements Lane.Program {
  static final String NOTES_FILE = "notes";

  /** The key of EPaxos and the object of WPaxos that all clients use. */
  static final String SHARED = "shared";

  private static final long RETRY_NANOS = 5_000_000_000L;

  private final Lane lane;
  private Act act = Act.NONE;
  private int lastDone;
  private int count;
  private @Nullable Pending pending;

  private record Pending(
      Act act, String to, Message request, long beganMicros, long beganNanos, long sentNanos) {
    String command() {
      return request.word(0);
    }
  }

  Client(Lane lane) throws IOException {
    this.lane = lane;
    Files.writeString(Path.of(NOTES_FILE), "");
    lane.recorder().log("client").set("commands", 0);
  }

  @Override
  public void receive(String from, Message reply) {
    Pending answered = pending;
    if (answered == null || !reply.word(0).equals(answered.command())) {
      return; // The reply to a repeated request.
    }
    pending = null;
    note(answered, reply.number(1));
  }

  private void note(Pending answered, int slot) {
    ClientNote note =
        new ClientNote(
            answered.act.number(),
            answered.act.protocol(),
            answered.command(),
            slot,
            answered.beganMicros,
            (System.nanoTime() - answered.beganNanos) / 1_000);
    try {
      Files.writeString(Path.of(NOTES_FILE), note.line() + "\n", StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void tick() {
    try {
      act = Act.read(Path.of(Act.FILE));
      Pending unanswered = pending;
      if (unanswered != null) {
        repeat(unanswered);
      } else if (act.protocol() != Protocol.NONE) {
        sendNext();
      } else if (act.number() > lastDone) {
        lastDone = act.number();
        Files.createFile(Path.of(act.doneFile()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void repeat(Pending unanswered) {
    long now = System.nanoTime();
    if (now - unanswered.sentNanos > RETRY_NANOS) {
      send(
          new Pending(
              unanswered.act,
              unanswered.to,
              unanswered.request,
              unanswered.beganMicros,
              unanswered.beganNanos,
              now));
    }
  }

  private void sendNext() {
    String zone = "z" + lane.name().substring(1);
    boolean isFirst = zone.equals(Layout.ZONES.get(0));
    String command = lane.name() + "-" + (count + 1);
    switch (act.protocol()) {
      case PAXOS, PIG -> {
        if (isFirst) {
          Fanout fanout = act.protocol() == Protocol.PIG ? Fanout.RELAYED : Fanout.DIRECT;
          send(act.leader(), Message.of("request", command, fanout));
        }
      }
      case EPAXOS -> {
        if (!isFirst) {
          send(firstReplica(zone), EpaxosReplica.request(command, key()));
        }
      }
      case WPAXOS -> {
        if (!isFirst) {
          send(firstReplica(zone), WpaxosReplica.request(command, object(zone), lane.name()));
        }
      }
      case NONE -> {}
    }
  }

  private static String firstReplica(String zone) {
    return Layout.replicas(zone).get(0);
  }

  /** Every second command is for the key that the clients share. */
  private String key() {
    return act.shares() && count % 2 == 0 ? SHARED : "of-" + lane.name();
  }

  private String object(String zone) {
    return act.user().equals(zone) ? SHARED : "of-" + lane.name();
  }

  private void send(String to, Message request) {
    count++;
    lane.recorder().log("client").set("commands", count);
    long now = System.nanoTime();
    send(new Pending(act, to, request, PhysicalClock.system().freshMicros(), now, now));
  }

  private void send(Pending next) {
    pending = next;
    lane.send(next.to, next.request);
  }
}
