// SPDX-License-Identifier: Apache-2.0
package io.retroscope.dist.picture;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.dist.picture.Svg.Scheme;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * The committed pictures of the pages equal those that the code draws, byte by byte. {@code
 * -Dgolden.update} writes them instead.
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
