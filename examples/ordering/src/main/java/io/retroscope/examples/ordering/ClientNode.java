// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.ordering;

import io.retroscope.examples.ordering.Message.Ask;
import io.retroscope.examples.ordering.Message.Reply;
import io.retroscope.examples.ordering.Unanswered.Done;
import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;

/** A client as a process: it takes a transaction as done when a superquorum has replied equally. */
public final class ClientNode {
  /** A line for each request that is sent or done: see {@link ClientNote}. */
  static final String NOTES_FILE = "notes";

  private static final int MAX_UNANSWERED = 20;
  private static final int INTERVAL_MILLIS = 5;
  private static final long AGAIN_NANOS = 3_000_000_000L;

  private final String name;
  private final EventLog trace;
  private final Unanswered unanswered;
  private final PrintWriter notes;
  private final Group group;
  private final Random random;
  private final RetwisWorkload workload;
  private int count;
  private int highest;

  private ClientNode(Recorder recorder, String stack, int needed, long seed) throws Exception {
    this.name = recorder.node();
    this.trace = recorder.log("spec");
    this.unanswered = new Unanswered(needed);
    this.notes = new PrintWriter(NOTES_FILE, StandardCharsets.UTF_8);
    this.random = new Random(seed);
    this.workload = new RetwisWorkload(random);
    this.group = Group.join(recorder, stack, (from, message) -> receive(message));
  }

  /**
   * Runs a client until its process is ended.
   *
   * @param args the number of equal replies that it needs, a seed, the number of all members, and
   *     the file with the stack of protocols
   */
  public static void main(String[] args) throws Exception {
    ClientNode client =
        new ClientNode(
            Recorder.shared(), args[3], Integer.parseInt(args[0]), Long.parseLong(args[1]));
    client.trace.set("sent", 0);
    Files.createFile(Path.of(ReplicaNode.JOINED_FILE));
    client.group.awaitMembers(Integer.parseInt(args[2]));
    Files.createFile(Path.of(ReplicaNode.READY_FILE));
    while (true) {
      client.act();
    }
  }

  private void act() throws IOException, InterruptedException {
    Thread.sleep(random.nextInt(2 * INTERVAL_MILLIS));
    unanswered
        .dueAgain(System.nanoTime(), AGAIN_NANOS)
        .forEach(request -> group.multicastInOrder(new Ask(request)));
    Optional<Act> act = Act.read(Path.of(Act.FILE));
    if (act.isEmpty()) {
      return;
    }
    if (count < act.get().number() * Act.REQUESTS) {
      if (unanswered.count() < MAX_UNANSWERED) {
        ask(act.get().percent());
      }
    } else if (unanswered.count() == 0 && Files.notExists(Path.of(act.get().doneFile()))) {
      notes.flush();
      Files.createFile(Path.of(act.get().doneFile()));
    }
  }

  private void ask(int percent) {
    Request request = new Request(name + "#" + ++count, workload.next());
    boolean overtakes = random.nextInt(100) < percent;
    note(ClientNote.sent(request.id(), percent));
    trace.set("sent", count);
    unanswered.asked(request, System.nanoTime());
    if (overtakes) {
      group.multicast(new Ask(request));
    } else {
      group.multicastInOrder(new Ask(request));
    }
  }

  private void receive(Message message) {
    if (message instanceof Reply reply) {
      unanswered.replied(reply, System.nanoTime()).ifPresent(this::done);
    }
  }

  private synchronized void done(Done done) {
    highest = Math.max(highest, done.outcome().position());
    trace.set("taken", highest);
    note(ClientNote.done(done));
  }

  private synchronized void note(ClientNote note) {
    notes.println(note.line());
  }
}
