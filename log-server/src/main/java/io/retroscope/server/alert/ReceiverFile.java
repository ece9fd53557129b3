// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.alert;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The operator's file of receivers: a line {@code NAME KIND ADDRESS [option=value ...]} for each.
 * Immutable.
 *
 * @param receivers in the order of the file
 * @param deadMan the address that hears from the server as long as alerts are evaluated
 */
record ReceiverFile(List<Receiver> receivers, Optional<DeadMan> deadMan) {
  private static final int MAX_BYTES = 1 << 20;
  private static final int MAX_SECRET_BYTES = 64 << 10;
  private static final Duration DEAD_MAN_PERIOD = Duration.ofMinutes(1);
  private static final Pattern SECONDS = Pattern.compile("([0-9]{1,6})(s|m|h)");
  private static final Set<String> OPTIONS = Set.of("token-file", "url-file", "every", "ca");

  /** No receivers. */
  static final ReceiverFile NONE = new ReceiverFile(List.of(), Optional.empty());

  /** Copies the list. */
  ReceiverFile {
    receivers = List.copyOf(receivers);
  }

  /** A receiver of a sign of life. */
  record DeadMan(HttpSender sender, Duration every) {}

  /**
   * Reads a file.
   *
   * @throws IllegalArgumentException if it cannot be used; the message names the file and the line
   */
  static ReceiverFile read(Path file) {
    List<Receiver> receivers = new ArrayList<>();
    Optional<DeadMan> deadMan = Optional.empty();
    Set<String> names = new HashSet<>();
    List<String> lines = text(file, MAX_BYTES).lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      try {
        Line parts = Line.of(line, file.toAbsolutePath());
        if (!names.add(parts.name())) {
          throw new IllegalArgumentException("the name " + parts.name() + " is used twice");
        }
        if (parts.kind().equals("deadman")) {
          deadMan = Optional.of(new DeadMan(parts.sender(), parts.every()));
        } else {
          receivers.add(parts.receiver());
        }
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "%s, line %d: %s".formatted(file, i + 1, e.getMessage()), e);
      }
    }
    return new ReceiverFile(receivers, deadMan);
  }

  private static String text(Path file, int maxBytes) {
    try {
      if (Files.size(file) > maxBytes) {
        throw new IllegalArgumentException("%s is larger than %,d bytes".formatted(file, maxBytes));
      }
      return Files.readString(file);
    } catch (IOException e) {
      throw new IllegalArgumentException("cannot read " + file + ": " + e, e);
    }
  }

  /**
   * A line.
   *
   * @param file that contains it, to whose folder relative paths refer
   */
  private record Line(
      String name, String kind, List<String> words, Map<String, String> options, Path file) {
    static Line of(String line, Path file) {
      String[] parts = line.split("\\s+", -1);
      if (parts.length < 2) {
        throw new IllegalArgumentException("write NAME KIND ADDRESS [option=value ...]");
      }
      List<String> words = new ArrayList<>();
      Map<String, String> options = new HashMap<>();
      for (int i = 2; i < parts.length; i++) {
        String[] option = parts[i].split("=", 2);
        if (option.length == 2 && OPTIONS.contains(option[0])) {
          options.put(option[0], option[1]);
        } else {
          words.add(parts[i]);
        }
      }
      return new Line(parts[0], parts[1], words, options, file);
    }

    Receiver receiver() {
      return switch (kind) {
        case "webhook" -> new Receiver.Webhook(name, sender());
        case "alertmanager" -> new Receiver.AlertmanagerApi(name, sender("/api/v2/alerts"));
        case "slack" -> new Receiver.Slack(name, sender());
        case "command" -> command();
        case "syslog" -> Receiver.Syslog.at(name, address());
        default ->
            throw new IllegalArgumentException(
                "there is no kind %s: the kinds are webhook, alertmanager, slack, command, syslog, deadman"
                    .formatted(kind));
      };
    }

    private Receiver command() {
      if (words.isEmpty()) {
        throw new IllegalArgumentException("a command needs the path of a program");
      }
      return new Receiver.Command(name, words);
    }

    private String address() {
      Optional<String> hidden = Optional.ofNullable(options.get("url-file")).map(this::secret);
      if (words.size() != (hidden.isPresent() ? 0 : 1)) {
        throw new IllegalArgumentException(kind + " needs one address, or url-file=FILE");
      }
      return hidden.orElseGet(() -> words.get(0));
    }

    HttpSender sender() {
      return sender("");
    }

    private HttpSender sender(String path) {
      URI uri;
      try {
        uri = URI.create(address() + path);
      } catch (IllegalArgumentException e) {
        // The address may be a secret.
        throw new IllegalArgumentException("the address of " + name + " is not valid");
      }
      boolean isHttp = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      if (!isHttp || uri.getHost() == null || uri.getUserInfo() != null) {
        throw new IllegalArgumentException(
            "the address of "
                + name
                + " must begin with http:// or https:// and a host, without a password");
      }
      return new HttpSender(
          uri,
          Optional.ofNullable(options.get("token-file")).map(this::secret),
          Optional.ofNullable(options.get("ca")).map(file::resolveSibling));
    }

    private String secret(String path) {
      return text(file.resolveSibling(path), MAX_SECRET_BYTES).strip();
    }

    Duration every() {
      String every = options.getOrDefault("every", DEAD_MAN_PERIOD.toSeconds() + "s");
      Matcher matcher = SECONDS.matcher(every);
      if (!matcher.matches()) {
        throw new IllegalArgumentException("every=%s is no duration such as 30s".formatted(every));
      }
      long number = Math.max(1, Long.parseLong(matcher.group(1)));
      return switch (matcher.group(2)) {
        case "s" -> Duration.ofSeconds(number);
        case "m" -> Duration.ofMinutes(number);
        default -> Duration.ofHours(number);
      };
    }
  }
}
