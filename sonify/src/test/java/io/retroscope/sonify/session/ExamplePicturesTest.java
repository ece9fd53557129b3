// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.LocalSession;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.json.NdjsonReader;
import io.retroscope.rql.parser.RqlParser;
import io.retroscope.sonify.bank.PatchBank;
import io.retroscope.sonify.bank.SoundBank;
import io.retroscope.sonify.play.SpectrumPicture;
import io.retroscope.sonify.rule.PastSoundscape;
import io.retroscope.sonify.rule.SoundscapeRules;
import io.retroscope.sonify.rule.Tempo;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the pictures of {@code docs/sound.md} show the sound of their statements. */
class ExamplePicturesTest {
  private static final Path FOLDER = Path.of("../docs/sound");

  /** Another JDK's synthesizer may differ by a shade here and there. */
  private static final double MEAN_DIFFERENCE = 2;

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"levels", "layers", "single-pitch"})
  void picture_isThatOfTheStatements(String name) throws Exception {
    Path drawn = folder.resolve(name + ".png");
    SpectrumPicture.write(play(name).performance(), SoundBank.own(), drawn);
    BufferedImage expected = ImageIO.read(FOLDER.resolve(name + ".png").toFile());
    BufferedImage actual = ImageIO.read(drawn.toFile());
    assertThat(List.of(actual.getWidth(), actual.getHeight()))
        .isEqualTo(List.of(expected.getWidth(), expected.getHeight()));
    assertThat(difference(expected, actual)).isLessThan(MEAN_DIFFERENCE);
  }

  private static PastSoundscape.Played play(String name) throws IOException {
    SoundscapeRules rules =
        SoundscapeRules.of(
            new RqlParser().parseScript(Files.readString(FOLDER.resolve(name + ".rql"))),
            PatchBank.standard());
    try (LocalSession session =
        new LocalSession(
            "lag.ndjson",
            new InMemoryEventSource(events("lag.ndjson"), ClockOffsets.UNKNOWN),
            QueryLimits.DEFAULT)) {
      return PastPlayer.at(Tempo.REAL_TIME).play(session, rules, new Unread());
    }
  }

  private static List<Event> events(String file) throws IOException {
    List<Event> events = new ArrayList<>();
    try (InputStream in = Files.newInputStream(FOLDER.resolve(file))) {
      NdjsonReader reader = new NdjsonReader(in, NdjsonReader.Limits.FILE);
      for (Optional<Event> next = reader.next(); next.isPresent(); next = reader.next()) {
        events.add(next.get());
      }
    }
    return events;
  }

  private static double difference(BufferedImage left, BufferedImage right) {
    long sum = 0;
    for (int x = 0; x < left.getWidth(); x++) {
      for (int y = 0; y < left.getHeight(); y++) {
        sum += Math.abs((left.getRGB(x, y) & 0xff) - (right.getRGB(x, y) & 0xff));
        sum += Math.abs((left.getRGB(x, y) >> 16 & 0xff) - (right.getRGB(x, y) >> 16 & 0xff));
      }
    }
    return sum / (double) (left.getWidth() * left.getHeight());
  }

  private static final class Unread implements RowSink {
    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      return true;
    }

    @Override
    public void warning(String message) {
      throw new AssertionError(message);
    }
  }
}
