// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.sound;

import io.retroscope.cli.connection.ServerClient;
import io.retroscope.cli.process.CommandException;
import io.retroscope.event.Value;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.sonify.play.LiveOutput;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.NoteKind;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** The alerts of a server, heard and listed until Ctrl-C. Used once; its keys by another thread. */
public final class AlertListening {
  private static final String PATH = "/v1/alerts";
  private static final String KEYS =
      "keys, each followed by Enter: a acknowledges what is marked with >, m mutes it for an hour,"
          + " n marks the next";
  private static final long STEP_MILLIS = 5;
  private static final long LOOK_MILLIS = 500;
  private static final int HOUR_SECONDS = 3_600;

  /** The longest silence of a server that is not lost. */
  private static final Optional<Duration> LIMIT = Optional.of(Duration.ofSeconds(5));

  private final ServerClient server;
  private final PrintWriter out;
  private final LongSupplier nanos;
  private final Optional<LiveOutput> output;
  private final AlertSounds sounds;
  private final NoteLines lines = new NoteLines(true);
  private String shown = "";

  /** The last failure to sound what is due. Owned by the ticking thread. */
  private String failure = "";

  /**
   * Prepares to listen.
   *
   * @param nanos a stopwatch
   */
  public AlertListening(
      ServerClient server,
      Optional<LiveOutput> output,
      boolean heartbeat,
      LongSupplier nanos,
      PrintWriter out) {
    this.server = server;
    this.output = output;
    this.out = out;
    this.nanos = nanos;
    long begin = nanos.getAsLong();
    this.sounds =
        new AlertSounds(heartbeat, () -> (nanos.getAsLong() - begin) / 1_000, this::sound);
  }

  private void sound(NoteEvent note) {
    output.ifPresent(device -> device.now(note));
    if (note.kind() != NoteKind.ALARM) { // The table lists what sounds.
      lines.of(note).ifPresent(out::println);
    }
  }

  /** Listens for a duration, or for ever. */
  public void follow(Optional<Duration> limit) throws InterruptedException {
    ScheduledExecutorService ticker =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "retroscope-alerts");
              thread.setDaemon(true);
              return thread;
            });
    var unused =
        ticker.scheduleAtFixedRate(this::step, STEP_MILLIS, STEP_MILLIS, TimeUnit.MILLISECONDS);
    long end = nanos.getAsLong() + limit.map(Duration::toNanos).orElse(Long.MAX_VALUE / 2);
    try {
      while (nanos.getAsLong() < end && !out.checkError()) {
        look();
        Thread.sleep(LOOK_MILLIS);
      }
    } finally {
      ticker.shutdownNow();
    }
  }

  /** An exception would end all later steps: it is printed once, and the next step tries again. */
  private void step() {
    try {
      sounds.advance();
      output.ifPresent(LiveOutput::advance);
    } catch (RuntimeException e) {
      String reason = "the sound failed: " + e;
      if (!reason.equals(failure)) {
        failure = reason;
        out.println(reason);
        out.flush();
      }
    }
  }

  /** Reads the states, and prints them if they have changed. */
  private void look() {
    try {
      StructValue answer = server.fields(PATH, Optional.empty(), LIMIT);
      List<StructValue> alerts = new ArrayList<>();
      if (answer.fields().get("alerts") instanceof SetValue all) {
        all.elements().forEach(element -> alerts.add((StructValue) element));
      }
      boolean unused = sounds.states(alerts);
      show(alerts.size(), "the server says that it does not evaluate: see retroscope alerts");
    } catch (CommandException | ProblemException e) {
      boolean unused = sounds.lose();
      show(0, "no answer from the server: " + e.getMessage());
    }
  }

  private void show(int count, String loss) {
    StringBuilder table = new StringBuilder();
    if (sounds.isLost()) {
      table.append(loss).append('\n');
    }
    Optional<AlertSounds.Firing> chosen = sounds.chosen();
    for (AlertSounds.Firing one : sounds.firing()) {
      table.append(
          "%s %-8s %-8s %s%s%n"
              .formatted(
                  chosen.filter(one::equals).isPresent() ? ">" : " ",
                  one.acknowledged() ? "seen" : one.muted() ? "muted" : "SOUNDS",
                  one.severity(),
                  one.episode(),
                  one.since().map(time -> ", since " + time).orElse("")));
    }
    sounds.unwell().forEach((alert, health) -> table.append("  %s: %s%n".formatted(alert, health)));
    if (table.isEmpty()) {
      String evaluated = count == 1 ? "1 alert is" : count + " alerts are";
      table.append("all is quiet: %s evaluated%n".formatted(evaluated));
    }
    print(table.toString());
  }

  private synchronized void print(String table) {
    if (!table.equals(shown)) {
      shown = table;
      out.print(table);
      out.flush();
    }
  }

  /** Prints what the keys do. */
  public void explainKeys() {
    say(KEYS);
  }

  /** Acknowledges the alert that is marked, or silences the reminders of what is over. */
  public void acknowledge() {
    Optional<AlertSounds.Firing> one = sounds.chosen();
    if (one.isEmpty()) {
      sounds.silenceReminders();
      say("nothing sounds that can be acknowledged; the pulses of what is over end");
      return;
    }
    String episode = one.get().episode();
    Map<String, Value> body = new LinkedHashMap<>();
    body.put("alert", Value.of(one.get().alert()));
    body.put("episode", Value.of(episode)); // not one that began since it was marked
    post("acknowledge", body)
        .map(answer -> answer.fields().get("acknowledged"))
        .map(all -> all instanceof SetValue set && !set.elements().isEmpty())
        .ifPresent(done -> say(episode + (done ? " is acknowledged" : " does not hold any more")));
  }

  /** Mutes the alert that is marked for an hour. */
  public void mute() {
    sounds
        .chosen()
        .ifPresentOrElse(
            one -> {
              Map<String, Value> body = new LinkedHashMap<>();
              body.put("alert", Value.of(one.alert()));
              body.put("seconds", Value.of(HOUR_SECONDS));
              post("mute", body).ifPresent(answer -> say(one.alert() + " is muted for an hour"));
            },
            () -> say("nothing sounds that can be muted"));
  }

  /** Marks the next alert that sounds. */
  public void next() {
    sounds.next();
    if (sounds.chosen().isEmpty()) {
      say("nothing sounds");
    }
  }

  /** The answer; empty if nothing was done, which has been said then. */
  private Optional<StructValue> post(String action, Map<String, Value> body) {
    try {
      String json = JsonValues.text(new StructValue(body));
      return Optional.of(server.fields(PATH + "/" + action, Optional.of(json), LIMIT));
    } catch (CommandException | ProblemException e) {
      say("not done: " + e.getMessage());
      return Optional.empty();
    }
  }

  private void say(String line) {
    out.println(line);
    out.flush();
  }
}
