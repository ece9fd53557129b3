// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.chord;

import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;

/**
 * A node of a Chord ring (Stoica et al., 2001) as a process: it knows its successor and its
 * predecessor, repairs them regularly, and records them. There are no finger tables, because they
 * only make lookups faster.
 */
public final class ChordNode {
  /** Created when the node runs. */
  static final String READY_FILE = "ready";

  /** A node joins the ring when this file is there, and leaves it when the file is gone. */
  static final String MEMBER_FILE = "member";

  /** A node that finds this file writes its neighbours into {@link #ANSWER_FILE}. */
  static final String ASK_FILE = "ask";

  /** The names of the predecessor and the successor. */
  static final String ANSWER_FILE = "answer";

  private static final int STABILIZE_MILLIS = 100;

  private final Peer self;
  private final Wire wire;
  private final EventLog ring;

  /* Guarded by `this`. */
  private Peer successor;
  private @Nullable Peer predecessor;
  private boolean isMember;

  private ChordNode(Peer self, Wire wire, EventLog ring) {
    this.self = self;
    this.wire = wire;
    this.ring = ring;
    this.successor = self;
  }

  /**
   * Runs a node until its process is ended.
   *
   * @param args its port, and a node of the ring if there is one, such as {@code n1:4711}
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    Recorder recorder = Recorder.fromEnvironment();
    run(args, recorder, new Wire(recorder, Integer.parseInt(args[0])));
  }

  /** Runs a node with another wire. */
  static void run(String[] args, Recorder recorder, Wire wire)
      throws IOException, InterruptedException {
    Peer self = new Peer(recorder.node(), Integer.parseInt(args[0]));
    ChordNode node = new ChordNode(self, wire, recorder.log("ring"));
    try (recorder;
        wire) {
      wire.serve(node::answer);
      Files.createFile(Path.of(READY_FILE));
      boolean isMember = false;
      while (true) {
        boolean wanted = Files.exists(Path.of(MEMBER_FILE));
        if (wanted && !isMember) {
          node.enter(args);
        } else if (isMember && !wanted) {
          node.leave();
        } else if (isMember) {
          node.stabilize();
        }
        isMember = wanted;
        if (Files.exists(Path.of(ASK_FILE))) {
          node.tell();
        }
        Thread.sleep(STABILIZE_MILLIS);
      }
    }
  }

  private void enter(String[] args) throws IOException {
    if (args.length > 1) {
      join(Peer.parse(args[1]));
    } else {
      create();
    }
  }

  private synchronized void create() {
    isMember = true;
    predecessor = self;
    record();
  }

  private void join(Peer known) throws IOException {
    Peer found = Peer.parse(wire.ask(known, "successor " + self.place()));
    synchronized (this) {
      isMember = true;
      successor = found;
      record();
    }
    wire.ask(found, "notify " + self);
  }

  /** Both in one event: apart, each change would look like a gap. */
  private void record() {
    Peer before = predecessor;
    ring.event()
        .set("succ", successor.name())
        .set("pred", before == null ? "" : before.name())
        .record();
  }

  /** Adopts a node that has joined before the successor, and makes itself known to it. */
  private void stabilize() {
    Peer asked = successor();
    try {
      stabilize(asked, wire.ask(asked, "predecessor"));
      wire.ask(successor(), "notify " + self);
    } catch (IOException e) {
      // It leaves, and names another successor; the next time is soon.
      System.err.println("no answer from " + asked + ": " + e.getMessage());
    }
  }

  private synchronized void stabilize(Peer asked, String between) {
    boolean stillSuccessor = successor.equals(asked); // Otherwise it left meanwhile, and said so.
    if (stillSuccessor && !between.isEmpty() && isBetween(Peer.parse(between), self, successor)) {
      successor = Peer.parse(between);
      record();
    }
  }

  private synchronized Peer successor() {
    return successor;
  }

  private static boolean isBetween(Peer peer, Peer after, Peer before) {
    return !peer.equals(before) && Peer.isWithin(peer.place(), after, before);
  }

  private String answer(String request) {
    String[] words = request.split(" ", -1);
    try {
      return switch (words[0]) {
        case "successor" -> findSuccessor(Long.parseLong(words[1])).toString();
        case "predecessor" -> predecessorText();
        case "notify" -> adopt(Peer.parse(words[1]));
        case "before" -> replacePredecessor(Peer.parse(words[1]), Peer.parse(words[2]));
        case "after" -> replaceSuccessor(Peer.parse(words[1]), Peer.parse(words[2]));
        default -> "unknown request";
      };
    } catch (IOException e) {
      return "failed: " + e.getMessage();
    }
  }

  private Peer findSuccessor(long place) throws IOException {
    Peer next = successor();
    return next.equals(self) || Peer.isWithin(place, self, next)
        ? next
        : Peer.parse(wire.ask(next, "successor " + place));
  }

  private synchronized String predecessorText() {
    return predecessor == null ? "" : predecessor.toString();
  }

  private synchronized String adopt(Peer candidate) {
    if (!isMember) {
      return "left"; // The other node does not know it yet.
    }
    Peer before = predecessor;
    if (before == null || before.equals(self) || isBetween(candidate, before, self)) {
      if (!candidate.equals(before)) {
        predecessor = candidate;
        record();
      }
    }
    return "ok";
  }

  private synchronized String replacePredecessor(Peer leaving, Peer other) {
    if (leaving.equals(predecessor)) {
      predecessor = other;
      record();
    }
    return "ok";
  }

  private synchronized String replaceSuccessor(Peer leaving, Peer other) {
    if (leaving.equals(successor)) {
      successor = other;
      record();
    }
    return "ok";
  }

  private void leave() throws IOException {
    Peer before;
    Peer next;
    synchronized (this) {
      before = predecessor;
      next = successor;
    }
    if (before != null && !next.equals(self)) {
      wire.ask(next, "before " + self + " " + before);
      wire.ask(before, "after " + self + " " + next);
    }
    synchronized (this) {
      isMember = false;
      successor = self;
      predecessor = null;
      ring.event().unset("succ").unset("pred").record();
    }
  }

  private void tell() throws IOException {
    String names;
    synchronized (this) {
      Peer before = predecessor;
      names = (before == null ? "-" : before.name()) + " " + successor.name();
    }
    Path part = Files.writeString(Path.of(ANSWER_FILE + ".part"), names);
    Files.delete(Path.of(ASK_FILE));
    Files.move(part, Path.of(ANSWER_FILE), StandardCopyOption.ATOMIC_MOVE);
  }
}
