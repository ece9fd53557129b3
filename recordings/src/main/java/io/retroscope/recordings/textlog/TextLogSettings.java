// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import java.nio.file.Path;
import java.time.ZoneId;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * How text logs are read. Immutable.
 *
 * @param catalog the known formats
 * @param format the name of the format of all text logs; empty to find it by their content
 * @param zone of times without one; empty for UTC
 * @param fileZones the zones of single files by their names or paths
 * @param naming how nodes are named
 * @param log the log of their events
 * @param rules what messages say about the state of nodes, besides the rules of the formats
 */
public record TextLogSettings(
    FormatCatalog catalog,
    Optional<String> format,
    Optional<ZoneId> zone,
    Map<String, ZoneId> fileZones,
    NodeNaming naming,
    String log,
    MessageRules rules) {
  /** The log of the events of text logs. */
  public static final String DEFAULT_LOG = "app";

  /** The zone of times without one, unless another is given. */
  public static final ZoneId DEFAULT_ZONE = ZoneId.of("UTC");

  /** Settings for files of known formats. */
  public static final TextLogSettings DEFAULT =
      new TextLogSettings(
          FormatCatalog.BUILT_IN,
          Optional.empty(),
          Optional.empty(),
          Map.of(),
          NodeNaming.BY_FILE,
          DEFAULT_LOG,
          MessageRules.NONE);

  /** Copies the zones. */
  public TextLogSettings {
    fileZones = Map.copyOf(fileZones);
  }

  /** The zone of a file's times without one. */
  ZoneId zoneOf(String path) {
    String name = String.valueOf(Path.of(path).getFileName());
    ZoneId own = fileZones.getOrDefault(path, fileZones.get(name));
    return own == null ? zone.orElse(DEFAULT_ZONE) : own;
  }

  boolean isZoneGiven(String path) {
    return zone.isPresent() || !zoneOf(path).equals(DEFAULT_ZONE);
  }

  /** A text that differs if the same files may have other events with other settings. */
  public String fingerprint() {
    return String.join(
        "\n",
        String.valueOf(format),
        String.valueOf(zone),
        new TreeMap<>(fileZones).toString(),
        naming.toString(),
        log,
        rules.toString(),
        catalog.fingerprint());
  }
}
