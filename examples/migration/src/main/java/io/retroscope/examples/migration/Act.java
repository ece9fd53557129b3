// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.migration;

import io.retroscope.examples.simulate.migration.Policy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * What the regions do now: the scene writes it into a file of each. Immutable.
 *
 * @param number counts the acts from 1
 * @param phase counts how often the users have moved to another region
 * @param working whether users access objects
 * @param script how users and regions act
 */
record Act(int number, int phase, boolean working, Script script) {
  static final String FILE = "act";
  static final Act NONE = new Act(0, 0, false, new Script(Policy.Kind.NONE, 100, 0, false, false));

  /**
   * How users and regions act. Immutable.
   *
   * @param policy decides about moves
   * @param localPercent the share of the accesses from the region of an object's users
   * @param favouredPercent the share of the objects that are always used in the first region
   * @param filtered whether a region takes no more than {@link Regions#LARGEST_SHARE}
   * @param hurried whether an owner serves an object until the next one has it
   */
  record Script(
      Policy.Kind policy,
      int localPercent,
      int favouredPercent,
      boolean filtered,
      boolean hurried) {
    String title() {
      return policy.title()
          + (favouredPercent > 0 ? ", half used in VA" : "")
          + (filtered ? ", filtered" : "")
          + (hurried ? ", hurried" : "");
    }
  }

  /** The file that a region creates when its users have no access under way. */
  String doneFile() {
    return "done-" + number;
  }

  Act ended() {
    return new Act(number, phase, false, script);
  }

  Act nextPhase() {
    return new Act(number, phase + 1, true, script);
  }

  /** The region of the users of an object. */
  int home(int object) {
    return object < Regions.OBJECTS * script.favouredPercent() / 100
        ? 0
        : Math.floorMod(object + 2 * phase, Regions.NAMES.size());
  }

  void write(Path file) throws IOException {
    String text =
        String.join(
            " ",
            List.of(
                Integer.toString(number),
                Integer.toString(phase),
                Boolean.toString(working),
                script.policy.name(),
                Integer.toString(script.localPercent),
                Integer.toString(script.favouredPercent),
                Boolean.toString(script.filtered),
                Boolean.toString(script.hurried)));
    Path part = Files.writeString(file.resolveSibling(FILE + ".part"), text);
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /** The act of a region, which works in its folder. */
  static Act current() throws IOException {
    Path file = Path.of(FILE);
    if (Files.notExists(file)) {
      return NONE;
    }
    String[] words = Files.readString(file).split(" ", -1);
    return new Act(
        Integer.parseInt(words[0]),
        Integer.parseInt(words[1]),
        Boolean.parseBoolean(words[2]),
        new Script(
            Policy.Kind.valueOf(words[3]),
            Integer.parseInt(words[4]),
            Integer.parseInt(words[5]),
            Boolean.parseBoolean(words[6]),
            Boolean.parseBoolean(words[7])));
  }
}
