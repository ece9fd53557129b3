// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/**
 * Tests that the POMs of the published modules have what Maven Central requires, by themselves or
 * from their parent, and that the profile {@code release} makes the jars that it requires. Reads
 * the POMs of the source tree; nothing is fetched.
 */
class PublishedPomTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path PARENT = ROOT.resolve("pom.xml");

  /** The root elements of POMs, which all tests read. */
  private static final Map<Path, Element> READ = new HashMap<>();

  /** The modules that users depend on, the parent of their POMs, and the list of versions. */
  static List<Path> published() throws IOException {
    List<Path> poms = new ArrayList<>(List.of(PARENT));
    poms.addAll(modules(false));
    return poms;
  }

  private static List<Path> modules(boolean skipped) throws IOException {
    List<Path> poms = new ArrayList<>();
    for (Element module : children(child(read(PARENT), "modules").orElseThrow())) {
      Path pom = ROOT.resolve(module.getTextContent()).resolve("pom.xml");
      boolean skips =
          text(read(pom), "properties", "maven.deploy.skip").filter("true"::equals).isPresent();
      if (skips == skipped) {
        poms.add(pom);
      }
    }
    return poms;
  }

  /** What is not published in a release is an example, or a part of the programs. */
  @Test
  void modules_published_areTheLibrariesForServices() throws IOException {
    Set<String> published = new TreeSet<>();
    for (Path pom : modules(false)) {
      published.add(ROOT.relativize(pom.getParent()).toString());
    }
    Set<String> expected = new TreeSet<>(Set.of("bom", "hlc-core", "junit"));
    try (Stream<Path> folders = Files.list(ROOT.resolve("instrumentation"))) {
      folders
          .filter(folder -> Files.exists(folder.resolve("pom.xml")))
          .forEach(folder -> expected.add(ROOT.relativize(folder).toString()));
    }
    assertThat(published).isEqualTo(expected);
  }

  @ParameterizedTest
  @MethodSource("published")
  void pom_ofAPublishedModule_hasWhatARepositoryRequires(Path pom) throws IOException {
    Element project = read(pom);
    String name = ROOT.relativize(pom).toString();
    for (String own : List.of("artifactId", "name", "description")) {
      assertThat(text(project, own)).as("%s: %s", name, own).isPresent();
    }
    List<List<String>> required =
        List.of(
            List.of("groupId"),
            List.of("version"),
            List.of("url"),
            List.of("licenses", "license", "name"),
            List.of("licenses", "license", "url"),
            List.of("developers", "developer", "name"),
            List.of("scm", "connection"),
            List.of("scm", "developerConnection"),
            List.of("scm", "url"));
    for (List<String> path : required) {
      assertThat(effective(pom, project, path)).as("%s: %s", name, path).isPresent();
    }
    assertThat(effective(pom, project, List.of("version")))
        .as(name)
        .isEqualTo(text(read(PARENT), "version"))
        .hasValueSatisfying(version -> assertThat(version).matches("\\d+\\.\\d+\\.\\d+"));
  }

  /** A user's build could not fetch a dependency that is not published. */
  @ParameterizedTest
  @MethodSource("published")
  void dependencies_ofAPublishedModule_arePublished(Path pom) throws IOException {
    List<String> unpublished = new ArrayList<>();
    for (Path module : modules(true)) {
      unpublished.add(text(read(module), "artifactId").orElseThrow());
    }
    assertThat(unpublished).contains("rql", "recordings", "log-server", "cli");
    Element none = read(PARENT).getOwnerDocument().createElement("none");
    for (Element dependency : children(child(read(pom), "dependencies").orElse(none))) {
      String artifact = text(dependency, "artifactId").orElseThrow();
      if (!text(dependency, "scope").equals(Optional.of("test"))
          && !isPartOfItsJar(pom, dependency, artifact)) {
        assertThat(artifact).isNotIn(unpublished);
      }
    }
  }

  /** No build fetches an optional dependency, and the shaded jar has the classes of this one. */
  private static boolean isPartOfItsJar(Path pom, Element dependency, String artifact)
      throws IOException {
    return text(dependency, "optional").equals(Optional.of("true"))
        && Files.readString(pom)
            .contains("<include>io.retroscope:%s</include>".formatted(artifact));
  }

  @ParameterizedTest
  @MethodSource("published")
  void release_ofAPublishedModule_skipsNoJar(Path pom) throws IOException {
    assertThat(effective(pom, read(pom), List.of("properties", "maven.deploy.skip")))
        .as("%s", pom)
        .isIn(Optional.of("false"), Optional.empty());
    for (String skip : List.of("maven.source.skip", "maven.javadoc.skip", "maven.install.skip")) {
      assertThat(effective(pom, read(pom), List.of("properties", skip))).as("%s", pom).isEmpty();
    }
  }

  @Test
  void release_profile_makesJarsOfSourcesAndJavadoc() throws IOException {
    List<String> goals = new ArrayList<>();
    for (Element profile : children(child(read(PARENT), "profiles").orElseThrow())) {
      if (text(profile, "id").equals(Optional.of("release"))) {
        Element build = child(profile, "build").orElseThrow();
        for (Element plugin : children(child(build, "plugins").orElseThrow())) {
          String artifact = text(plugin, "artifactId").orElseThrow();
          text(plugin, "executions", "execution", "goals", "goal")
              .ifPresent(goal -> goals.add(artifact + ":" + goal));
        }
      }
    }
    assertThat(goals).contains("maven-source-plugin:jar-no-fork", "maven-javadoc-plugin:jar");
  }

  /** A value of a POM, or what it inherits. */
  private static Optional<String> effective(Path pom, Element project, List<String> path)
      throws IOException {
    Optional<String> own = text(project, path.toArray(String[]::new));
    Optional<Element> parent = child(project, "parent");
    if (own.isPresent() || parent.isEmpty()) {
      return own;
    }
    Path above =
        pom.resolveSibling(text(parent.get(), "relativePath").orElse("../pom.xml")).normalize();
    assertThat(above).as("the parent of %s", pom).isEqualTo(PARENT);
    assertThat(text(parent.get(), "version")).isEqualTo(text(read(PARENT), "version"));
    return text(read(PARENT), path.toArray(String[]::new));
  }

  private static Element read(Path pom) throws IOException {
    Element known = READ.get(pom);
    if (known == null) {
      known = parse(pom);
      READ.put(pom, known);
    }
    return known;
  }

  private static Element parse(Path pom) throws IOException {
    try {
      return DocumentBuilderFactory.newDefaultInstance()
          .newDocumentBuilder()
          .parse(pom.toFile())
          .getDocumentElement();
    } catch (ParserConfigurationException | SAXException e) {
      throw new IOException("cannot read " + pom, e);
    }
  }

  /** The text at a path of elements, of which the first with each name is taken. */
  private static Optional<String> text(Element from, String... path) {
    Optional<Element> element = Optional.of(from);
    for (String name : path) {
      element = element.flatMap(outer -> child(outer, name));
    }
    return element.map(found -> found.getTextContent().strip()).filter(found -> !found.isEmpty());
  }

  private static Optional<Element> child(Element parent, String name) {
    return children(parent).stream().filter(each -> each.getTagName().equals(name)).findFirst();
  }

  private static List<Element> children(Element parent) {
    List<Element> found = new ArrayList<>();
    for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element element) {
        found.add(element);
      }
    }
    return found;
  }
}
