// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.migration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * The users of a region: two threads that access objects, mostly those that are used in this
 * region, and note how long it took.
 */
final class Users {
  static final String NOTES_FILE = "notes";

  private static final int THREADS = 2;
  private static final int IDLE_MILLIS = 10;

  private final int region;
  private final List<Integer> ports;
  private final Stamps stamps;
  private volatile Act act = Act.NONE;

  /* Guarded by `this`. */
  private int busy;
  private int lastDone;

  Users(int region, List<Integer> ports, Stamps stamps) throws IOException {
    this.region = region;
    this.ports = ports;
    this.stamps = stamps;
    Files.writeString(Path.of(NOTES_FILE), "");
    for (int i = 0; i < THREADS; i++) {
      new Thread(new User(i), "user-" + i).start();
    }
  }

  /** Begins or ends the accesses of this act. */
  synchronized void play(Act newAct) throws IOException {
    act = newAct;
    if (!act.working() && busy == 0 && act.number() > lastDone) {
      lastDone = act.number();
      Files.createFile(Path.of(act.doneFile()));
    }
  }

  private synchronized boolean begin() {
    boolean works = act.working();
    busy += works ? 1 : 0;
    return works;
  }

  private synchronized void end(Act of, long micros) throws IOException {
    busy--;
    Files.writeString(
        Path.of(NOTES_FILE),
        of.number() + " " + of.phase() + " " + micros + "\n",
        StandardOpenOption.APPEND);
  }

  /** A user: one access after the other. */
  private final class User implements Runnable {
    private final Random random;
    private final Map<Integer, Wire.Connection> connections = new HashMap<>();
    private final int[] whereabouts =
        IntStream.range(0, Regions.OBJECTS).map(i -> i % Regions.NAMES.size()).toArray();

    User(int number) {
      this.random = new Random(100L * region + number);
    }

    @Override
    public void run() {
      try {
        while (true) {
          if (begin()) {
            Act current = act;
            long began = System.nanoTime();
            access(object(current));
            end(current, (System.nanoTime() - began) / 1_000);
          }
          Thread.sleep(IDLE_MILLIS);
        }
      } catch (IOException | InterruptedException e) {
        throw new IllegalStateException("a user of region " + region + " failed", e);
      }
    }

    private int object(Act current) {
      int[] local =
          IntStream.range(0, Regions.OBJECTS).filter(i -> current.home(i) == region).toArray();
      return local.length > 0 && random.nextInt(100) < current.script().localPercent()
          ? local[random.nextInt(local.length)]
          : random.nextInt(Regions.OBJECTS);
    }

    /** Asks the region where the object may be, and those that it names. */
    private void access(int object) throws IOException {
      while (true) {
        String[] answer =
            connection(whereabouts[object]).ask("access " + object + " " + region).split(" ", -1);
        whereabouts[object] = Integer.parseInt(answer[1]);
        if (answer[0].equals("done")) {
          return;
        }
      }
    }

    private Wire.Connection connection(int to) throws IOException {
      Wire.Connection known = connections.get(to);
      if (known == null) {
        known = Wire.Connection.to(ports.get(to), stamps);
        connections.put(to, known);
      }
      return known;
    }
  }
}
