// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.connection.ServerClient;
import io.retroscope.cli.option.DurationConverter;
import io.retroscope.cli.option.ServerOption;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.rql.print.CutTable;
import io.retroscope.rql.print.ValueText;
import java.io.PrintWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command for the alerts of a log server. */
@Command(
    name = "alerts",
    description =
        "Show the alerts of a log server, their history, acknowledge, mute and test them.",
    synopsisSubcommandLabel = "[ACTION]",
    footer = {
      "",
      "Examples:",
      "  retroscope alerts",
      "  retroscope alerts --watch",
      "  retroscope alerts history one_leader",
      "  retroscope alerts show 'one_leader@1795200000200000.0'",
      "  retroscope alerts acknowledge one_leader",
      "  retroscope alerts mute one_leader --for 1h",
      "  retroscope alerts test one_leader",
    })
public final class AlertsCommand implements Runnable {
  private static final String PATH = "/v1/alerts";

  /** An episode, such as {@code behind[eu]@1795200000200000.0}. */
  private static final Pattern EPISODE = Pattern.compile("(?<alert>[^\\[@]+)(\\[.*])?@\\d+\\.\\d+");

  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

  /** Clears a terminal and moves to its first line. */
  private static final String CLEAR = "\033[H\033[2J";

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private ServerOption server = new ServerOption();

  @Option(names = "--watch", description = "Show them again each second, until Ctrl-C.")
  private boolean watch;

  @Override
  public void run() {
    ServerClient client = server.client();
    do {
      List<StructValue> alerts = structs(client.fields(PATH, Optional.empty()), "alerts");
      if (watch) {
        out().print(CLEAR);
      }
      print(alerts);
      out().flush();
    } while (watch && isPatient());
  }

  private boolean isPatient() {
    try {
      Thread.sleep(BETWEEN_LOOKS.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
    return !out().checkError();
  }

  private void print(List<StructValue> alerts) {
    if (alerts.isEmpty()) {
      out().println("the server has no alerts: see CREATE ALERT, or server --rules");
      return;
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(
        List.of(
            "alert",
            "item",
            "state",
            "since",
            "severity",
            "health",
            "acknowledged",
            "muted until"));
    for (StructValue alert : alerts) {
      rows.add(
          List.of(
              text(alert, "alert"),
              text(alert, "item"),
              text(alert, "state"),
              time(text(alert, "since")),
              text(alert, "severity"),
              text(alert, "health"),
              text(alert, "acknowledgedBy"),
              text(alert, "mutedUntil")));
    }
    table(rows);
  }

  private void table(List<List<String>> rows) {
    int[] widths = new int[rows.get(0).size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], ValueText.width(row.get(i)));
      }
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        line.append(ValueText.pad(row.get(i), widths[i], false)).append("  ");
      }
      out().println(line.toString().stripTrailing());
    }
  }

  @Command(
      name = "history",
      description = "List the latest episodes, also those that were not sent, the earliest first.",
      footer = {"", "Example:", "  retroscope alerts history --count 20 one_leader"})
  int history(
      @Mixin ServerOption from,
      @Parameters(paramLabel = "ALERT", arity = "0..1", description = "Of this alert only.")
          Optional<String> alert,
      @Option(
              names = "--count",
              paramLabel = "N",
              defaultValue = "100",
              description = "At most this many (default: ${DEFAULT-VALUE}).")
          int count) {
    List<StructValue> episodes = episodes(from.client(), alert, count);
    if (episodes.isEmpty()) {
      out().println("no alert has fired");
      return ExitCode.OK.number();
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("episode", "state", "from", "to", "notices", "acknowledged"));
    for (StructValue episode : episodes) {
      rows.add(
          List.of(
              text(episode, "episode"),
              text(episode, "state").toLowerCase(Locale.ROOT) + borderline(episode),
              text(edge(episode, "rise"), "time"),
              text(edge(episode, "fall"), "time"),
              shown(episode.fields().getOrDefault("sent", NullValue.NULL)),
              text(episode, "acknowledgedBy")));
    }
    table(rows);
    return ExitCode.OK.number();
  }

  private static String borderline(StructValue episode) {
    return BooleanValue.TRUE.equals(episode.fields().get("borderline")) ? ", borderline" : "";
  }

  private static StructValue edge(StructValue episode, String name) {
    return episode.fields().get(name) instanceof StructValue edge
        ? edge
        : new StructValue(Map.of());
  }

  private static List<StructValue> episodes(
      ServerClient client, Optional<String> alert, int count) {
    String of =
        alert.map(name -> "&alert=" + URLEncoder.encode(name, StandardCharsets.UTF_8)).orElse("");
    List<StructValue> episodes =
        structs(client.fields(PATH + "/history?count=" + count + of, Optional.empty()), "episodes");
    episodes.sort(Comparator.comparing(episode -> since(text(episode, "episode"))));
    return episodes;
  }

  @Command(
      name = "show",
      description = "Show the cut at which an episode began.",
      footer = {"", "Example:", "  retroscope alerts show 'one_leader@1795200000200000.0'"})
  int show(
      @Mixin ServerOption from,
      @Parameters(paramLabel = "EPISODE", description = "As a message or the history names it.")
          String id) {
    Optional<StructValue> found =
        episodes(from.client(), Optional.of(id.replaceFirst("[\\[@].*", "")), 10_000).stream()
            .filter(episode -> text(episode, "episode").equals(id))
            .findFirst();
    if (found.isEmpty()) {
      throw new CommandException(
          ExitCode.USAGE, "there is no episode " + id + ": retroscope alerts history lists them");
    }
    StructValue episode = found.get();
    StructValue rise = edge(episode, "rise");
    StructValue fall = edge(episode, "fall");
    out()
        .println(
            id + " is " + text(episode, "state").toLowerCase(Locale.ROOT) + borderline(episode));
    out().println("from " + text(rise, "time") + uncertainty(rise));
    if (!text(fall, "time").isEmpty()) {
      out().println("to   " + text(fall, "time") + uncertainty(fall));
    }
    if (rise.fields().get("cut") instanceof StructValue cut) {
      CutTable.lines(cut).forEach(out()::println);
    }
    if (!text(episode, "acknowledgedBy").isEmpty()) {
      out().println("acknowledged by " + text(episode, "acknowledgedBy"));
    } else if (text(episode, "state").equals("FIRING")) {
      out()
          .println(
              "if you look after it: retroscope alerts acknowledge " + ValueText.shellWord(id));
    }
    return ExitCode.OK.number();
  }

  private static String uncertainty(StructValue edge) {
    return edge.fields().get("uncertaintyMicros") instanceof Value.LongValue micros
        ? String.format(Locale.ROOT, " ± %.3f ms", micros.value() / 1e3)
        : "";
  }

  @Command(
      name = "acknowledge",
      description = "Say that somebody looks after the episodes of an alert that hold.",
      footer = {
        "",
        "Examples:",
        "  retroscope alerts acknowledge one_leader --item zk1",
        "  retroscope alerts acknowledge 'one_leader@1795200000200000.0'"
      })
  int acknowledge(
      @Mixin ServerOption to,
      @Parameters(
              paramLabel = "ALERT",
              description = "The alert's name, or only this episode, as a message names it.")
          String named,
      @Option(names = "--item", paramLabel = "ITEM", description = "Of this item of FOR EACH only.")
          Optional<String> item) {
    Matcher episode = EPISODE.matcher(named);
    boolean isEpisode = episode.matches();
    if (isEpisode && item.isPresent()) {
      throw new CommandException(
          ExitCode.USAGE, "an episode is of one item already: leave out --item");
    }
    Map<String, Value> body = new LinkedHashMap<>();
    body.put("alert", Value.of(isEpisode ? episode.group("alert") : named));
    if (isEpisode) {
      body.put("episode", Value.of(named));
    }
    item.ifPresent(name -> body.put("item", Value.of(name)));
    StructValue answer = to.client().fields(PATH + "/acknowledge", Optional.of(json(body)));
    if (answer.fields().get("acknowledged") instanceof SetValue all && !all.elements().isEmpty()) {
      all.elements().forEach(one -> out().println("acknowledged " + shown(one)));
    } else if (isEpisode) {
      throw new CommandException(
          ExitCode.FAILED,
          named + " does not hold, so nothing is acknowledged: retroscope alerts lists what holds");
    } else {
      out().println("nothing of " + named + " holds");
    }
    return ExitCode.OK.number();
  }

  @Command(
      name = "mute",
      description = "Send nothing about new episodes of an alert for some time; 0s ends this.",
      footer = {"", "Example:", "  retroscope alerts mute one_leader --for 1h"})
  int mute(
      @Mixin ServerOption to,
      @Parameters(paramLabel = "ALERT", description = "The alert's name.") String alert,
      @Option(
              names = "--for",
              paramLabel = "DURATION",
              required = true,
              converter = DurationConverter.class,
              description = "How long.")
          Duration time) {
    Map<String, Value> body = new LinkedHashMap<>();
    body.put("alert", Value.of(alert));
    body.put("seconds", Value.of(time.toSeconds()));
    StructValue answer = to.client().fields(PATH + "/mute", Optional.of(json(body)));
    String until = text(answer, "mutedUntil");
    out().println(until.isEmpty() ? alert + " is not muted" : alert + " is muted until " + until);
    return ExitCode.OK.number();
  }

  @Command(
      name = "test",
      description = "Send a message that is marked as a test through each receiver of an alert.",
      footer = {"", "Example:", "  retroscope alerts test one_leader"})
  int test(
      @Mixin ServerOption to,
      @Parameters(paramLabel = "ALERT", description = "The alert's name.") String alert) {
    StructValue answer =
        to.client().fields(PATH + "/test", Optional.of(json(Map.of("alert", Value.of(alert)))));
    StructValue receivers =
        answer.fields().get("receivers") instanceof StructValue all
            ? all
            : new StructValue(Map.of());
    if (receivers.fields().isEmpty()) {
      out().println("the server has no receiver for " + alert + ": see server --receivers");
      return ExitCode.FAILED.number();
    }
    ExitCode code = ExitCode.OK;
    for (String receiver : receivers.fields().keySet()) {
      String wrong = text(receivers, receiver);
      out().println(receiver + ": " + (wrong.isEmpty() ? "accepted" : wrong));
      code = wrong.isEmpty() ? code : ExitCode.FAILED;
    }
    return code.number();
  }

  private static String json(Map<String, Value> fields) {
    return JsonValues.text(new StructValue(fields));
  }

  /** The time of the rise, from the identity of an episode. */
  private static String since(String episode) {
    return time(episode.substring(episode.lastIndexOf('@') + 1));
  }

  /** The time of a stamp; empty if there is none. */
  private static String time(String stamp) {
    return stamp.isEmpty()
        ? ""
        : HlcTimestamp.isoMicros(HlcTimestamp.micros(HlcTimestamp.parse(stamp)));
  }

  private static List<StructValue> structs(StructValue answer, String field) {
    List<StructValue> structs = new ArrayList<>();
    if (answer.fields().get(field) instanceof SetValue all) {
      all.elements().forEach(element -> structs.add((StructValue) element));
    }
    return structs;
  }

  private static String text(StructValue object, String name) {
    Value value = object.fields().getOrDefault(name, NullValue.NULL);
    return value instanceof StringValue text ? ValueText.printable(text.value()) : "";
  }

  private static String shown(Value value) {
    return ValueText.of(value);
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
