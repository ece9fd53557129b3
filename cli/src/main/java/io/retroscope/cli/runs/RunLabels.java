// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.runs;

import io.retroscope.cli.file.FileProblem;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** Labels of runs from reports of JUnit: whether the test that recorded a run passed. Immutable. */
public final class RunLabels {
  /** The most test cases of all reports. */
  private static final int MAX_CASES = 1_000_000;

  /** The results, the worst last. */
  private static final List<String> RESULTS = List.of("passed", "skipped", "failed");

  private static final Pattern INVOCATION =
      Pattern.compile("[^(\\[{]+(?:\\([^)]*\\)|\\{[^}]*})?\\[(\\d+)]");

  private final Map<String, Map<String, String>> byLabel;

  private RunLabels(Map<String, Map<String, String>> byLabel) {
    this.byLabel = byLabel;
  }

  /**
   * Reads labels.
   *
   * @param given each {@code label=report.xml}; a label may have several reports
   * @throws CommandException if one cannot be read
   */
  public static RunLabels read(List<String> given) {
    Map<String, Map<String, String>> byLabel = new LinkedHashMap<>();
    for (String one : given) {
      int equals = one.indexOf('=');
      if (equals <= 0) {
        throw new CommandException(
            ExitCode.USAGE, "--label is NAME=REPORT.xml, not \"%s\"".formatted(one));
      }
      Path report = Path.of(one.substring(equals + 1));
      Map<String, String> cases =
          byLabel.computeIfAbsent(one.substring(0, equals), label -> new HashMap<>());
      try (InputStream in = Files.newInputStream(report)) {
        read(in, cases);
      } catch (IOException e) {
        throw new CommandException(
            ExitCode.USAGE, "cannot read " + report + ": " + FileProblem.reason(e), e);
      } catch (XMLStreamException e) {
        throw new CommandException(
            ExitCode.USAGE,
            "%s is no report of JUnit: line %d is no XML"
                .formatted(report, e.getLocation().getLineNumber()),
            e);
      }
    }
    return new RunLabels(byLabel);
  }

  private static void read(InputStream in, Map<String, String> cases) throws XMLStreamException {
    XMLInputFactory factory = XMLInputFactory.newFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    XMLStreamReader xml = factory.createXMLStreamReader(in);
    List<String> names = List.of();
    while (xml.hasNext() && cases.size() < MAX_CASES) {
      if (xml.next() != XMLStreamConstants.START_ELEMENT) {
        continue;
      }
      switch (xml.getLocalName()) {
        case "testcase" -> {
          names = caseNames(xml);
          put(cases, names, "passed");
        }
        case "failure", "error" -> put(cases, names, "failed");
        case "skipped" -> put(cases, names, "skipped");
        default -> {}
      }
    }
  }

  /** Of the invocations that have one name, the worst result counts. */
  private static void put(Map<String, String> cases, List<String> names, String result) {
    for (String name : names) {
      cases.merge(
          name,
          result,
          (one, other) -> RESULTS.indexOf(one) >= RESULTS.indexOf(other) ? one : other);
    }
  }

  /** The name that a recorded file of the test has, and of a numbered invocation its own one. */
  private static List<String> caseNames(XMLStreamReader xml) {
    String method = String.valueOf(xml.getAttributeValue(null, "name"));
    String type = xml.getAttributeValue(null, "classname");
    String plain = method.replaceFirst("[({\\[].*", "");
    String name = type == null ? plain : type.replace('$', '.') + "." + plain;
    Matcher invocation = INVOCATION.matcher(method.strip());
    return invocation.matches() ? List.of(name, name + "-" + invocation.group(1)) : List.of(name);
  }

  /** The names of the labels, in the order in which they were given. */
  public List<String> names() {
    return List.copyOf(byLabel.keySet());
  }

  /** The values of the labels of a run; {@code -} where a report does not have its test. */
  public List<String> of(RecordedRun run) {
    return byLabel.values().stream().map(cases -> value(cases, run.name())).toList();
  }

  /**
   * A repeated test has a file for each time, whose name ends with a number. Where the report does
   * not number them, all have its worst result.
   */
  private static String value(Map<String, String> cases, String run) {
    String name = run.substring(run.lastIndexOf('/') + 1);
    String found = cases.get(name);
    return found != null ? found : cases.getOrDefault(name.replaceFirst("(-\\d+)+$", ""), "-");
  }
}
