// SPDX-License-Identifier: Apache-2.0
package io.retroscope.dist.picture;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.dist.picture.Svg.Scheme;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The committed pictures of the pages equal those that the code draws, byte by byte, and the tables
 * of results are those of the files. {@code -Dgolden.update} writes them instead.
 */
class PicturesTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path FOLDER = ROOT.resolve("docs/pictures");
  private static final int MAX_BYTES = 1_000_000;

  @Test
  void cut_ofTheRecording_isDrawnAsCommitted() throws IOException {
    CutPicture picture = CutPicture.of(ROOT.resolve("docs/report/zookeeper.ndjson.gz"));
    Map<String, String> drawn = new TreeMap<>();
    for (Scheme scheme : Scheme.values()) {
      drawn.put("cut-" + scheme.suffix() + ".svg", picture.still(scheme));
      drawn.put("moving-cut-" + scheme.suffix() + ".svg", picture.moving(scheme));
    }
    assertCommitted(drawn);
  }

  @Test
  void charts_ofTheResults_areDrawnAsCommitted() throws IOException {
    Map<String, String> drawn = new TreeMap<>();
    try (Stream<Path> results = Files.list(ROOT.resolve("benchmarks/results"))) {
      for (Path file : results.filter(path -> path.toString().endsWith(".csv")).toList()) {
        Optional<BarChart> chart = BarChart.of(file);
        if (chart.isPresent()) {
          for (Scheme scheme : Scheme.values()) {
            drawn.put(BarChart.fileName(file, scheme), chart.get().draw(scheme));
          }
        }
      }
    }
    assertThat(drawn).isNotEmpty();
    assertCommitted(drawn);
  }

  @Test
  void tables_ofThePageOnPerformance_areThoseOfTheResults() throws IOException {
    Path page = ROOT.resolve("docs/performance.md");
    String filled = new GoalTables(ROOT.resolve("benchmarks/results")).fill(Files.readString(page));
    if (System.getProperty("golden.update") != null) {
      Files.writeString(page, filled);
    }
    assertThat(filled).contains("**not** reached");
    assertThat(Files.readString(page)).isEqualTo(filled);
  }

  @Test
  void boxes_ofTheArchitecture_areDrawnAsCommitted() throws IOException {
    Map<String, String> drawn = new TreeMap<>();
    for (Scheme scheme : Scheme.values()) {
      drawn.put("modules-" + scheme.suffix() + ".svg", BoxPicture.modules(scheme));
      drawn.put("event-" + scheme.suffix() + ".svg", BoxPicture.event(scheme));
    }
    assertCommitted(drawn);
  }

  private static void assertCommitted(Map<String, String> drawn) throws IOException {
    for (Map.Entry<String, String> picture : drawn.entrySet()) {
      Path file = FOLDER.resolve(picture.getKey());
      if (System.getProperty("golden.update") != null) {
        Files.writeString(file, picture.getValue());
      }
      assertThat(picture.getValue()).as(picture.getKey()).hasSizeLessThan(MAX_BYTES);
      assertThat(Files.readString(file)).as(picture.getKey()).isEqualTo(picture.getValue());
    }
  }
}
