// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zerocopy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value.LongValue;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.History;
import io.retroscope.examples.stage.History.Assignment;
import io.retroscope.examples.stage.Question;
import io.retroscope.examples.stage.StageException;
import io.retroscope.examples.zerocopy.Act.Mode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What must hold, known from the files of the nodes, which have no stamps, and from the acts. */
final class ShippingOracle {
  private final History history;
  private final ZerocopyScene scene;
  private final List<PlayedAct> acts;
  private final List<Note> notes;

  ShippingOracle(History history, ZerocopyScene scene) throws IOException {
    this.history = history;
    this.scene = scene;
    this.acts = scene.acts();
    this.notes = scene.notes();
  }

  List<Check> checks() throws StageException, IOException {
    List<Check> checks = new ArrayList<>();
    checks.add(sameBytes());
    checks.add(parts());
    checks.add(onlyIn(ZerocopyCase.TOO_FEW, List.of(Mode.EARLY, Mode.LAZY)));
    checks.add(fallsOncePerCrash());
    checks.add(onlyIn(ZerocopyCase.OTHER_BYTES, List.of()));
    checks.add(gapsCloseTheStream());
    checks.add(writtenBeforeShipped());
    checks.add(fewAcknowledgements());
    checks.add(fasterWithLargerWrites());
    return checks;
  }

  private Check sameBytes() throws IOException {
    Path input = scene.input();
    long other = 0;
    for (String node : List.of(ZerocopyScene.PRIMARY, ZerocopyScene.STANDBY)) {
      other += Files.mismatch(input, scene.log(node)) < 0 ? 0 : 1;
    }
    long told = notes.stream().mapToLong(Note::end).max().orElse(0);
    return new Check(
        "primary and standby have the client's input of %,d bytes (%d other), all acknowledged"
            .formatted(ZerocopyScene.size(input), other),
        other == 0 && told == ZerocopyScene.size(input) && told > 0);
  }

  /** Each part of the auxiliary is the input from its offset on. */
  private Check parts() throws IOException {
    byte[] input = Files.readAllBytes(scene.input());
    int other = 0;
    for (Path part : scene.parts()) {
      byte[] bytes = Files.readAllBytes(part);
      String name = part.getFileName().toString();
      int from = Integer.parseInt(name.substring(AuxiliaryNode.PART_FILE.length()));
      boolean same =
          from + bytes.length <= input.length
              && Arrays.equals(bytes, 0, bytes.length, input, from, from + bytes.length);
      other += same ? 0 : 1;
    }
    long needed = scene.counts().get(2);
    return new Check(
        "the auxiliary stepped in %d times, and has %d parts of the input (%d other)"
            .formatted(needed, scene.parts().size(), other),
        other == 0 && needed == scene.parts().size() && (needed > 0) == scene.hasFaults());
  }

  private Check onlyIn(Question question, List<Mode> modes) throws StageException, IOException {
    List<Long> stretches =
        history.intervals(question).stream()
            .map(stretch -> HlcTimestamp.micros(stretch.hlc()))
            .toList();
    List<PlayedAct> expected =
        acts.stream().filter(act -> modes.contains(act.act().mode())).toList();
    long elsewhere =
        stretches.stream()
            .filter(micros -> expected.stream().noneMatch(act -> act.contains(micros)))
            .count();
    long without =
        expected.stream().filter(act -> stretches.stream().noneMatch(act::contains)).count();
    return new Check(
        "%s: %d stretches, in each of %d acts %s, %d at other times"
            .formatted(question.title(), stretches.size(), expected.size(), modes, elsewhere),
        elsewhere == 0 && without == 0);
  }

  private Check fallsOncePerCrash() throws StageException, IOException {
    List<Long> falls =
        history.intervals(ZerocopyCase.FALLS).stream()
            .map(row -> HlcTimestamp.micros(row.hlc()))
            .toList();
    List<PlayedAct> crashes = acts.stream().filter(act -> act.act().mode() == Mode.LAZY).toList();
    long found =
        crashes.stream().filter(act -> falls.stream().filter(act::contains).count() == 1).count();
    return new Check(
        "durable falls once in %d of %d crashes of a standby that has not forced, and %d times in all"
            .formatted(found, crashes.size(), falls.size()),
        found == crashes.size() && falls.size() == crashes.size());
  }

  private Check gapsCloseTheStream() throws IOException {
    long acts = this.acts.stream().filter(act -> act.act().mode() == Mode.GAP).count();
    return new Check(
        "a stream with a gap was closed in each of %d acts (%d closed)"
            .formatted(acts, scene.gaps()),
        scene.gaps() == acts);
  }

  /** The primary has an end at a lower stamp than any other node. */
  private Check writtenBeforeShipped() {
    Map<Long, Long> written = new TreeMap<>();
    List<Assignment> durable = history.assignments("ship", "durable");
    for (Assignment assignment : durable) {
      if (assignment.node().equals(ZerocopyScene.PRIMARY)) {
        written.merge(number(assignment), assignment.hlc(), Math::min);
      }
    }
    List<Assignment> shipped =
        durable.stream()
            .filter(assignment -> !assignment.node().equals(ZerocopyScene.PRIMARY))
            .filter(assignment -> number(assignment) > 0)
            .toList();
    long early =
        shipped.stream()
            .filter(a -> written.getOrDefault(number(a), Long.MAX_VALUE) >= a.hlc())
            .count();
    return new Check(
        "no node has bytes before the primary has them (%d records, %d too early)"
            .formatted(shipped.size(), early),
        early == 0 && !shipped.isEmpty());
  }

  private static long number(Assignment assignment) {
    return assignment.value() instanceof LongValue number ? number.value() : 0;
  }

  private Check fewAcknowledgements() throws IOException {
    long shipped = scene.counts().get(0);
    long acknowledged = scene.counts().get(1);
    return new Check(
        String.format(
            Locale.ROOT,
            "acknowledgements are %,d bytes for %,d that were shipped, %.2f %%",
            acknowledged,
            shipped,
            100.0 * acknowledged / shipped),
        acknowledged * 20 < shipped);
  }

  private Check fasterWithLargerWrites() {
    Map<Integer, Double> rates = new TreeMap<>(Pace.bytesPerSecond(notes, acts));
    List<Double> ordered = List.copyOf(rates.values());
    return new Check(
        String.format(
            Locale.ROOT,
            "larger writes have a higher throughput: %s",
            rates.entrySet().stream()
                .map(
                    rate ->
                        String.format(
                            Locale.ROOT,
                            "%,d bytes %.2f MB/s",
                            rate.getKey(),
                            rate.getValue() / 1e6))
                .toList()),
        ordered.get(0) < ordered.get(ordered.size() - 1));
  }
}
