// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.lines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LineRequestTest {
  private static LineRequest request(String name, String... values) {
    return LineRequest.parse(Map.of(name, List.of(values)));
  }

  private static Event line(String node, String log, String message, String level) {
    Map<String, Value> fields = level.isEmpty() ? Map.of() : Map.of("level", Value.of(level));
    return new Event(node, log, 1, new EventBody.LogLine(message, fields));
  }

  @Test
  void matches_eachFilter_leavesOutTheOthers() {
    Event line = line("a", "app", "time out after 3 s", "warning");
    assertThat(LineRequest.parse(Map.of()).matches(line)).isTrue();
    assertThat(request("node", "a", "b").matches(line)).isTrue();
    assertThat(request("node", "b").matches(line)).isFalse();
    assertThat(request("log", "app").matches(line)).isTrue();
    assertThat(request("log", "gc").matches(line)).isFalse();
    assertThat(request("grep", "after \\d").matches(line)).isTrue();
    assertThat(request("grep", "^after").matches(line)).isFalse();
    assertThat(request("level", "info").matches(line)).isTrue();
    assertThat(request("level", "Warn").matches(line)).isTrue();
    assertThat(request("level", "ERROR").matches(line)).isFalse();
    assertThat(request("level", "trace").matches(line("a", "app", "no level", ""))).isFalse();
    assertThat(request("node", "a").matches(new Event("a", "app", 1, new EventBody.Heartbeat())))
        .isFalse();
  }

  private static Event leveled(Value level) {
    return new Event("a", "app", 1, new EventBody.LogLine("m", Map.of("level", level)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ERROR",
        "err",
        "E",
        "SEVERE",
        "fail",
        "Critical",
        "CRIT",
        "ALERT",
        "EMERG",
        "emergency",
        "PANIC",
        "pnc",
        "dpanic",
        "FATAL",
        "ftl",
        "F",
        "ERROR2",
        "Error4",
        "FATAL3",
        "40",
        "3",
        "0",
        " error "
      })
  void matches_levelThatIsAnErrorInSomeScale_isNotHidden(String level) {
    assertThat(request("level", "ERROR").matches(leveled(Value.of(level)))).isTrue();
    assertThat(request("level", "err").matches(leveled(Value.of(level)))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "WARN",
        "Warning",
        "WRN",
        "W",
        "notice",
        "INFO",
        "Information",
        "informational",
        "I",
        "config",
        "DEBUG",
        "dbg",
        "FINE",
        "FINER",
        "FINEST",
        "verbose",
        "V",
        "TRACE",
        "trace4",
        "WARN4",
        "30",
        "20",
        "10",
        "4",
        "5",
        "6",
        "7",
        "16",
        "NOTSET",
        "silly"
      })
  void matches_levelThatIsNoErrorInAnyScale_isHidden(String level) {
    assertThat(request("level", "ERROR").matches(leveled(Value.of(level)))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(longs = {17, 18, 21, 24, 40, 50, 60, 0, 1, 2, 3, 35, 99, -7})
  void matches_numberThatMayBeAnError_isNotHidden(long level) {
    assertThat(request("level", "ERROR").matches(leveled(Value.of(level)))).isTrue();
    assertThat(request("level", "ERROR").matches(leveled(Value.of((double) level)))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"LOG", "success", "audit", "", "error5", "123456789012"})
  void matches_unknownLevel_isNotHidden(String level) {
    assertThat(request("level", "FATAL").matches(leveled(Value.of(level)))).isTrue();
  }

  @Test
  void matches_severityNumber_countsBesideTheText() {
    Map<String, Value> fields = Map.of("level", Value.of("odd"), "severityNumber", Value.of(9));
    Event info = new Event("a", "app", 1, new EventBody.LogLine("m", fields));
    assertThat(request("level", "ERROR").matches(info)).isFalse();
    assertThat(request("level", "INFO").matches(info)).isTrue();
    Map<String, Value> both = Map.of("level", Value.of("INFO"), "severityNumber", Value.of(17));
    assertThat(
            request("level", "ERROR")
                .matches(new Event("a", "app", 1, new EventBody.LogLine("m", both))))
        .isTrue();
  }

  @Test
  void matches_limitOfAnotherScale_hidesNothingThatMayReachIt() {
    assertThat(request("level", "EMERG").matches(leveled(Value.of("CRITICAL")))).isTrue();
    assertThat(request("level", "CRITICAL").matches(leveled(Value.of("alert")))).isTrue();
    assertThat(request("level", "CRITICAL").matches(leveled(Value.of("error")))).isFalse();
    assertThat(request("level", "notice").matches(leveled(Value.of("info")))).isFalse();
    assertThat(request("level", "40").matches(leveled(Value.of("warn")))).isTrue();
  }

  @Test
  void parse_times_areInstantsOrBeforeNow() {
    assertThat(request("since", "10m").since().orElseThrow().at(700_000_000))
        .isEqualTo(100_000_000);
    assertThat(request("until", "1970-01-01T00:00:01.5Z").until().orElseThrow().at(7))
        .isEqualTo(1_500_000);
  }

  @Test
  void parse_follow_beginsWithAFewLastLines() {
    assertThat(request("follow", "true").last()).hasValue(10);
    assertThat(LineRequest.parse(Map.of("follow", List.of("true"), "since", List.of("1h"))).last())
        .isEmpty();
    assertThat(LineRequest.parse(Map.of("follow", List.of("true"), "for", List.of("2s"))))
        .satisfies(request -> assertThat(request.limitMicros()).hasValue(2_000_000));
  }

  @ParameterizedTest
  @CsvSource({
    "nod, a, 'no such parameter: \"nod\"'",
    "level, loud, 'no such level: \"loud\"; the levels are TRACE, DEBUG, INFO, WARN, ERROR, FATAL,"
        + " and the names that logging libraries have for them, such as CRITICAL'",
    "since, yesterday, 'since is neither an instant nor a duration: \"yesterday\" (like"
        + " 2026-11-20T18:40:00Z, or 10m for ten minutes ago)'",
    "since, 999999999d, 'since is neither an instant nor a duration: \"999999999d\" (like"
        + " 2026-11-20T18:40:00Z, or 10m for ten minutes ago)'",
    "last, -1, 'last is a number from 0 to 100000, not \"-1\"'",
    "last, 100001, 'last is a number from 0 to 100000, not \"100001\"'",
    "follow, yes, 'follow is true or false, not \"yes\"'",
    "grep, (, 'not a regular expression of RE2''s syntax: \"(\": missing closing )'",
    "grep, (a)\\1, '\"(a)\\1\" has a backreference at character 4, which RE2''s syntax has not:"
        + " write it without look-around and backreferences'",
    "grep, ((a{100}){100}){2}, 'the expression \"((a{100}){100}){2}\" repeats more than 10000"
        + " times: use * or +'",
    "for, 2s, 'for must be a duration and requires follow'"
  })
  void parse_wrongValue_namesTheValidOnes(String name, String value, String message) {
    assertThatThrownBy(() -> request(name, value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void parse_untilAndFollow_isRefused() {
    Map<String, List<String>> both = Map.of("follow", List.of("true"), "until", List.of("1m"));
    assertThatThrownBy(() -> LineRequest.parse(both))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("until cannot be combined with follow");
  }

  /** Backtracking would take more steps than there are atoms. */
  @Test
  @Timeout(60)
  void matches_expressionThatInvitesToGoBack_takesLinearTime() {
    Event line = line("a", "app", "a".repeat(200_000) + "!", "");
    assertThat(request("grep", "(a*)*(a*)*(a*)*b").matches(line)).isFalse();
    assertThat(request("grep", "(a|aa)*!$").matches(line)).isTrue();
  }
}
