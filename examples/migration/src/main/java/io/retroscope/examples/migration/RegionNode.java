// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.migration;

import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A region as a process: it owns objects, serves accesses to them, and moves each where its policy
 * wants it. An object is offered first; then its owner ceases to serve it, and gives it away.
 */
public final class RegionNode {
  static final String READY_FILE = "ready";

  /** A region that finds this file writes its {@link RegionState} into {@link #ANSWER_FILE}. */
  static final String ASK_FILE = "ask";

  static final String ANSWER_FILE = "answer";

  private static final int MOVES_AT_ONCE = 4;
  private static final int POLL_MILLIS = 50;

  private final int self;
  private final List<Integer> ports;
  private final Stamps stamps;
  private final EventLog trace;
  private final ExecutorService mover = Executors.newFixedThreadPool(MOVES_AT_ONCE);

  /* Guarded by `this`. */
  private final List<StoredObject> objects = new ArrayList<>();
  private int reserved;
  private int given;
  private int taken;
  private volatile Act act = Act.NONE;

  private RegionNode(int self, List<Integer> ports, Recorder recorder, Stamps stamps) {
    this.self = self;
    this.ports = ports;
    this.stamps = stamps;
    this.trace = recorder.log("regions");
    for (int i = 0; i < Regions.OBJECTS; i++) {
      int owner = i % Regions.NAMES.size();
      StoredObject object = new StoredObject(i, owner, owner == self);
      objects.add(object);
      record(object);
    }
  }

  /**
   * Runs a region until its process is ended.
   *
   * @param args its number, its own port, and the ports that lead to all regions
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    Recorder recorder = Recorder.fromEnvironment();
    run(args, recorder, new Stamps(recorder));
  }

  /** Runs a region with other stamps. If any of its threads fails, the process ends. */
  static void run(String[] args, Recorder recorder, Stamps stamps)
      throws IOException, InterruptedException {
    Thread.setDefaultUncaughtExceptionHandler(
        (failed, e) -> {
          e.printStackTrace();
          Runtime.getRuntime().halt(1);
        });
    List<Integer> ports = Arrays.stream(args[2].split(",", -1)).map(Integer::valueOf).toList();
    RegionNode region = new RegionNode(Integer.parseInt(args[0]), ports, recorder, stamps);
    Wire.serve(Integer.parseInt(args[1]), stamps, region::answer);
    Users users = new Users(region.self, ports, stamps);
    Files.createFile(Path.of(READY_FILE));
    while (true) {
      region.act = Act.current();
      users.play(region.act);
      if (Files.exists(Path.of(ASK_FILE))) {
        region.tell();
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  private String answer(String request) {
    String[] words = request.split(" ", -1);
    int object = Integer.parseInt(words[1]);
    int region = Integer.parseInt(words[2]);
    return switch (words[0]) {
      case "access" -> access(objects.get(object), region);
      case "offer" -> offer();
      case "take" -> take(objects.get(object), words);
      case "release" -> release(objects.get(object));
      default -> throw new IllegalArgumentException("unknown request " + request);
    };
  }

  private static List<Integer> accesses(String word) {
    return Arrays.stream(word.split(",", -1)).map(Integer::valueOf).toList();
  }

  /** The answer to an access: that it is done, or where the object may be. */
  private synchronized String access(StoredObject object, int region) {
    if (!object.owned) {
      return "at " + object.whereabouts;
    }
    int wanted = object.access(region, self, act);
    if (wanted != self && !object.moving && !object.held) {
      object.moving = true;
      mover.execute(() -> move(object, wanted));
    }
    return "done " + self;
  }

  /** Whether this region takes one more object: each that is accepted is reserved. */
  private synchronized String offer() {
    long owned = objects.stream().filter(object -> object.owned).count();
    if (act.script().filtered() && owned + reserved >= Regions.LARGEST_SHARE) {
      return "refused";
    }
    reserved++;
    return "accepted";
  }

  private void move(StoredObject object, int to) {
    try (Wire.Connection region = Wire.Connection.to(ports.get(to), stamps)) {
      if (region.ask("offer " + object.number + " " + self).equals("accepted")) {
        boolean hurried = act.script().hurried();
        if (!hurried) {
          cease(object, to);
        }
        region.ask(gift(object, hurried));
        if (hurried) {
          cease(object, to);
          region.ask("release " + object.number + " " + self);
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException("cannot move an object to region " + to, e);
    } finally {
      synchronized (this) {
        object.moving = false;
      }
    }
  }

  private synchronized void cease(StoredObject object, int to) {
    object.owned = false;
    object.whereabouts = to;
    given++;
    record(object);
  }

  private synchronized String gift(StoredObject object, boolean held) {
    String history =
        object.history().stream().map(String::valueOf).collect(Collectors.joining(","));
    return String.join(
        " ",
        List.of(
            "take",
            Integer.toString(object.number),
            Integer.toString(self),
            Long.toString(object.value),
            history,
            Boolean.toString(held)));
  }

  /** Takes what {@link #gift} has written. */
  private synchronized String take(StoredObject object, String[] words) {
    object.take(Long.parseLong(words[3]), accesses(words[4]), self, act);
    object.held = Boolean.parseBoolean(words[5]);
    reserved--;
    taken++;
    record(object);
    return "taken";
  }

  private synchronized String release(StoredObject object) {
    object.held = false;
    return "released";
  }

  /** Recorded by the thread that changes it, before others can know. */
  private void record(StoredObject object) {
    long count = objects.stream().filter(each -> each.owned).count();
    trace.event().set(Regions.object(object.number), object.owned).set("count", count).record();
  }

  private synchronized RegionState state() {
    return new RegionState(
        given,
        taken,
        (int) objects.stream().filter(object -> object.moving).count(),
        IntStream.range(0, objects.size()).filter(i -> objects.get(i).owned).boxed().toList(),
        objects.stream().filter(object -> object.owned).mapToLong(object -> object.value).sum());
  }

  private void tell() throws IOException {
    Path part = Files.writeString(Path.of(ANSWER_FILE + ".part"), state().text());
    Files.delete(Path.of(ASK_FILE));
    Files.move(part, Path.of(ANSWER_FILE), StandardCopyOption.ATOMIC_MOVE);
  }
}
