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
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** Labels of runs from reports of JUnit: whether the test that recorded a run passed. Immutable. */
public final class RunLabels {
  /** The most test cases of all reports. */
  private static final int MAX_CASES = 1_000_000;

  private static final String PASSED = "passed";

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
    String name = "";
    while (xml.hasNext() && cases.size() < MAX_CASES) {
      if (xml.next() != XMLStreamConstants.START_ELEMENT) {
        continue;
      }
      switch (xml.getLocalName()) {
        case "testcase" -> {
          name = caseName(xml);
          cases.put(name, PASSED);
        }
        case "failure", "error" -> cases.put(name, "failed");
        case "skipped" -> cases.put(name, "skipped");
        default -> {}
      }
    }
  }

  /** The name that a recorded file of the test has. */
  private static String caseName(XMLStreamReader xml) {
    String method = String.valueOf(xml.getAttributeValue(null, "name"));
    String type = xml.getAttributeValue(null, "classname");
    String plain = method.replaceFirst("[({\\[].*", "");
    return type == null ? plain : type.replace('$', '.') + "." + plain;
  }

  /** The names of the labels, in the order in which they were given. */
  public List<String> names() {
    return List.copyOf(byLabel.keySet());
  }

  /** The values of the labels of a run; {@code -} where a report does not have its test. */
  public List<String> of(RecordedRun run) {
    return byLabel.values().stream().map(cases -> value(cases, run.name())).toList();
  }

  /** A repeated test has a file for each time, whose name ends with a number. */
  private static String value(Map<String, String> cases, String run) {
    String name = run.substring(run.lastIndexOf('/') + 1);
    String found = cases.get(name);
    return found != null ? found : cases.getOrDefault(name.replaceFirst("(-\\d+)+$", ""), "-");
  }
}
