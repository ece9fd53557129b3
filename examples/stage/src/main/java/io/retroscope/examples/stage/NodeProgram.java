// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A Java program that runs as a traced node of a case study. Immutable.
 *
 * @param mainClass its class, on the class path of this virtual machine
 * @param args the arguments of its main method
 * @param jvmArgs further arguments of its virtual machine
 * @param libraries further entries of its class path
 */
public record NodeProgram(
    String mainClass, List<String> args, List<String> jvmArgs, List<Path> libraries) {
  private static final List<String> QUICK_START =
      List.of("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  /** Copies the lists. */
  public NodeProgram {
    args = List.copyOf(args);
    jvmArgs = List.copyOf(jvmArgs);
    libraries = List.copyOf(libraries);
  }

  /** A program that starts quickly. */
  public static NodeProgram of(String mainClass, String... args) {
    return new NodeProgram(mainClass, List.of(args), QUICK_START, List.of());
  }

  /** This program with more arguments for its virtual machine. */
  public NodeProgram withJvmArgs(String... more) {
    return new NodeProgram(
        mainClass, args, Stream.concat(jvmArgs.stream(), Stream.of(more)).toList(), libraries);
  }

  /** This program with a clock that is ahead by this much, or behind if it is negative. */
  public NodeProgram withSkewMicros(long skewMicros) {
    return withJvmArgs("-Dretroscope.clock.skew.micros=" + skewMicros);
  }

  /** This program with more entries of its class path, such as a folder's jars. */
  public NodeProgram withLibraries(Path... more) {
    return new NodeProgram(
        mainClass, args, jvmArgs, Stream.concat(libraries.stream(), Stream.of(more)).toList());
  }

  /** The command that runs it, with these settings of its recorder. */
  List<String> command(List<String> recorderArgs) {
    List<String> all = new ArrayList<>(jvmArgs);
    all.addAll(recorderArgs);
    return ChildProcess.command(
        all,
        BuiltProject.ownClassPath(libraries.toArray(Path[]::new)),
        mainClass,
        args.toArray(String[]::new));
  }
}
