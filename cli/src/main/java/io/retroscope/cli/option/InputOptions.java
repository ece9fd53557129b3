// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.option;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.recordings.document.DocumentFormat;
import io.retroscope.recordings.file.EventFile;
import io.retroscope.recordings.file.InputSettings;
import io.retroscope.recordings.textlog.FormatCatalog;
import io.retroscope.recordings.textlog.FormatException;
import io.retroscope.recordings.textlog.LinearPattern;
import io.retroscope.recordings.textlog.MessageRules;
import io.retroscope.recordings.textlog.NodeNaming;
import io.retroscope.recordings.textlog.TextLogSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options that say how files are read: their format, and what text logs leave out. */
public final class InputOptions {
  @Option(
      names = "--input-format",
      paramLabel = "NAME",
      description =
          "The format of all files: ndjson, retroscope, shiviz, otlp, jaeger, zipkin, jepsen,"
              + " prometheus, or a text log's, which \"retroscope formats\" lists (default:"
              + " recognised by the content).")
  private Optional<String> format = Optional.empty();

  @Option(
      names = "--formats",
      paramLabel = "PATH",
      description =
          "More formats of text logs: a JSON file in the form of lnav, or a folder of them; may be"
              + " repeated.")
  private List<Path> formats = List.of();

  @Option(
      names = "--zone",
      paramLabel = "[FILE=]ZONE",
      description =
          "The zone of times without one, such as Europe/Berlin or +01:00, in text logs (of all"
              + " files, or of one) and in queries; may be repeated (default: UTC).")
  private List<String> zones = List.of();

  @Option(
      names = "--node-from",
      paramLabel = "REGEX",
      description =
          "Text logs: finds the node in a file's path, with the group node, such as"
              + " '(?<node>[^/]+)\\.log' (default: a host in the line, or the file's name).")
  private Optional<String> nodeFrom = Optional.empty();

  @Option(
      names = "--set",
      paramLabel = "REGEX",
      description =
          "Text logs: finds values in messages; each named group is a variable of the node, such as"
              + " 'became (?<role>\\w+)'; may be repeated.")
  private List<String> sets = List.of();

  @Option(
      names = "--send",
      paramLabel = "REGEX",
      description =
          "Text logs: finds messages that a node sends, with the group id, and peer if the line"
              + " names the other node; may be repeated.")
  private List<String> sends = List.of();

  @Option(
      names = "--receive",
      paramLabel = "REGEX",
      description = "Text logs: the same for messages that a node receives.")
  private List<String> receives = List.of();

  @Option(
      names = "--stamps",
      paramLabel = "HOW",
      description =
          "keep: the stamps of NDJSON are those of a hybrid logical clock; derive: they are"
              + " computed from readings and messages, as for text logs (default: keep).")
  private Optional<String> stamps = Optional.empty();

  @Option(
      names = "--allow-gaps",
      description =
          "ShiViz: accept logs in which events, or all events of a host, are missing, and declare"
              + " them lost.")
  private boolean allowsGaps;

  /** Takes the format of another option, unless one was given. */
  public InputOptions or(Optional<String> otherFormat) {
    format = format.or(() -> otherFormat);
    return this;
  }

  /**
   * The settings of the options.
   *
   * @param node of all text logs; empty to name them by their lines or files
   * @param log of the events of text logs
   * @throws CommandException if an option is wrong
   * @throws IOException if a file of formats cannot be read
   */
  public InputSettings settings(Optional<String> node, String log) throws IOException {
    try {
      Optional<DocumentFormat> document = format.flatMap(DocumentFormat::named);
      Optional<EventFile.Kind> kind =
          document.isPresent()
              ? Optional.of(EventFile.Kind.DOCUMENT)
              : format.flatMap(InputOptions::kind);
      TextLogSettings texts =
          new TextLogSettings(
              formats.isEmpty() ? FormatCatalog.BUILT_IN : FormatCatalog.with(formats),
              kind.isPresent() ? Optional.empty() : format,
              zone(),
              fileZones(),
              new NodeNaming(node, nodeFrom.map(LinearPattern::new)),
              log,
              MessageRules.of(sets, sends, receives));
      return new InputSettings(
          kind, document, derives(), allowsGaps, texts, PhysicalClock.system().micros());
    } catch (FormatException e) {
      throw new CommandException(ExitCode.USAGE, e.reason(), e);
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
    }
  }

  private static Optional<EventFile.Kind> kind(String name) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "ndjson" -> Optional.of(EventFile.Kind.NDJSON);
      case "retroscope", "blocks" -> Optional.of(EventFile.Kind.BLOCKS);
      case "shiviz" -> Optional.of(EventFile.Kind.CLOCKS);
      default -> Optional.empty();
    };
  }

  private boolean derives() {
    String how = stamps.orElse("keep");
    if (!how.equals("keep") && !how.equals("derive")) {
      throw new IllegalArgumentException("--stamps is keep or derive, not \"%s\"".formatted(how));
    }
    return how.equals("derive");
  }

  /**
   * The zone of times without one, in lines and in queries; that of a single file is not among
   * them.
   *
   * @throws CommandException if the option names no zone
   */
  ZoneId zoneOfTimes() {
    try {
      return zone().orElse(TextLogSettings.DEFAULT_ZONE);
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
    }
  }

  private Optional<ZoneId> zone() {
    return zones.stream()
        .filter(zone -> zone.indexOf('=') < 0)
        .reduce((first, second) -> second)
        .map(InputOptions::zone);
  }

  private Map<String, ZoneId> fileZones() {
    Map<String, ZoneId> found = new HashMap<>();
    for (String given : zones) {
      int equals = given.lastIndexOf('=');
      if (equals >= 0) {
        found.put(given.substring(0, equals), zone(given.substring(equals + 1)));
      }
    }
    return found;
  }

  private static ZoneId zone(String name) {
    try {
      return ZoneId.of(name);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "\"%s\" is no time zone: write a name such as Europe/Berlin, or an offset such as +01:00"
              .formatted(name),
          e);
    }
  }
}
