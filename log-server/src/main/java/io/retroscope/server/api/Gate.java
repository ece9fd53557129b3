package io.retroscope.server.api;

import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.javalin.websocket.WsContext;
import io.retroscope.server.access.AccessControl;
import io.retroscope.server.access.Caller;
import io.retroscope.server.access.Quota;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The check of every request before its endpoint: the name of the server, the site on whose behalf
 * a browser sends the request, the caller, and the type of the body. Thread-safe.
 */
final class Gate {
  /*
   * Without tokens, every client that can connect has all permissions, and so does every web page
   * that is open on the machine. Three checks exclude pages of other sites: a Host that is not the
   * server's name (421), a foreign Origin (403), and a body of a media type that browsers send
   * without a preflight request (415). A request with a valid token skips all three, because a
   * browser does not add an Authorization header by itself. Client certificates do not count here,
   * because browsers do add those.
   */
  private static final String CALLER = "io.retroscope.caller";
  private static final int MAX_SHOWN = 100;
  private static final int MAX_STATEMENT = 300;
  private static final Logger audit = LoggerFactory.getLogger("audit");

  private final AccessControl access;

  Gate(AccessControl access) {
    this.access = access;
  }

  /** Admits a request, whatever its route. */
  void enter(Context context) {
    Caller caller = access.caller(header(context, "Authorization"));
    context.attribute(CALLER, caller);
    if (caller.identified()) {
      return;
    }
    String host = Objects.requireNonNullElse(context.req().getServerName(), "");
    if (!access.allowsHost(host)) {
      throw ProblemException.of(
          421,
          "The server does not have this name",
          "requests may not call it \"%s\"; start it with --allow-host %s if that is its name"
              .formatted(printable(host), printable(host)));
    }
    if (access.isForeign(
        context.scheme(),
        authority(context),
        header(context, "Origin"),
        header(context, "Sec-Fetch-Site"))) {
      throw ProblemException.of(
          403,
          "The request is from another site",
          "a browser sent it for a page that is not the server's; if the page is, start the server"
              + " with --public-url and the page's address");
    }
  }

  /**
   * A handler that runs only if the caller has the route's permission and the route accepts the
   * body.
   */
  Handler guard(Route route, Handler handler) {
    return context -> {
      admit(route, context);
      if (route instanceof Route.Post post) {
        checkMediaType(post, context);
      }
      if (route.access() != Access.ADMIN) {
        handler.handle(context);
        return;
      }
      String outcome = "failed";
      try {
        handler.handle(context);
        outcome = "done";
      } finally {
        audit(context, name(route), outcome);
      }
    };
  }

  private static String name(Route route) {
    return (route instanceof Route.Post ? "POST " : "GET ") + route.path();
  }

  /** Throws unless the caller has the route's permission. */
  void admit(Route route, Context context) {
    Caller caller = caller(context);
    if (route.access().isGrantedTo(caller)) {
      return;
    }
    if (route.access() == Access.ADMIN) {
      audit(context, name(route), "refused");
    }
    if (!caller.identified()) {
      context.header("WWW-Authenticate", "Bearer");
      throw ProblemException.of(
          401,
          "A token is needed",
          "send Authorization: Bearer and a token of this server; our commands take it from"
              + " RETROSCOPE_TOKEN, --token-file or ~/.config/retroscope/token");
    }
    throw missing(route.access(), caller);
  }

  private static void checkMediaType(Route.Post route, Context context) {
    String sent = Objects.requireNonNullElse(context.req().getContentType(), "");
    String type = sent.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    if (route.mediaTypes().contains(type) || caller(context).identified()) {
      return;
    }
    throw ProblemException.of(
        415,
        "The request must name its media type",
        "%s is not accepted here; send one of %s: curl -H 'Content-Type: %s' --data-binary @- %s"
            .formatted(
                type.isEmpty() ? "a body without a media type" : printable(type),
                String.join(", ", route.mediaTypes()),
                route.mediaTypes().get(0),
                context.scheme() + "://" + authority(context) + route.path()));
  }

  /** The caller of an admitted request. */
  static Caller caller(Context context) {
    return Objects.requireNonNull(context.attribute(CALLER), "the request was not admitted");
  }

  /** The caller of a socket, with the current rights of its token. */
  Caller caller(WsContext context) {
    return access.caller(Optional.ofNullable(context.header("Authorization")));
  }

  /** A handler that counts as one of the caller's queries. */
  static Handler asQuery(Handler handler) {
    return leased(Quota::query, "queries", handler);
  }

  /** A handler that counts as one of the caller's live queries. */
  static Handler asStream(Handler handler) {
    return leased(Quota::stream, "streams", handler);
  }

  private static Handler leased(
      Function<Quota, Optional<Quota.Lease>> begin, String name, Handler handler) {
    return context -> {
      Caller caller = caller(context);
      Optional<Quota.Lease> lease = begin.apply(caller.quota());
      if (lease.isEmpty()) {
        context.header("Retry-After", "5");
        throw ProblemException.of(
            429,
            "The token's quota is used up",
            "as many %s of %s run as its token allows; end one of them first"
                .formatted(name, caller.name()));
      }
      try {
        handler.handle(context);
      } finally {
        lease.get().end();
      }
    };
  }

  /**
   * Admits an administrative statement if the caller may run it; it is written to the audit log in
   * either case.
   */
  static void administer(Context context, String statement) {
    boolean may = Access.ADMIN.isGrantedTo(caller(context));
    audit(context, printable(statement, MAX_STATEMENT), may ? "allowed" : "refused");
    if (!may) {
      throw missing(Access.ADMIN, caller(context));
    }
  }

  private static ProblemException missing(Access needed, Caller caller) {
    return ProblemException.of(
        403,
        "The token has another role",
        "this needs the role %s, which the token of %s does not have"
            .formatted(needed.name().toLowerCase(Locale.ROOT), caller.name()));
  }

  private static void audit(Context context, String what, String outcome) {
    audit.info(
        "{} {} by {} from {}",
        outcome,
        what,
        caller(context).name(),
        context.req().getRemoteAddr());
  }

  private static String authority(Context context) {
    int port = context.req().getServerPort();
    boolean standard = port <= 0 || port == (context.scheme().equals("https") ? 443 : 80);
    return context.req().getServerName() + (standard ? "" : ":" + port);
  }

  private static Optional<String> header(Context context, String name) {
    return Optional.ofNullable(context.header(name));
  }

  /** Replaces unprintable characters, because the text comes from the client. */
  private static String printable(String text) {
    return printable(text.replaceAll("[^\\w.:/+\\[\\]-]", "?"), MAX_SHOWN);
  }

  private static String printable(String text, int maxLength) {
    String clean = text.replaceAll("[^\\x20-\\x7e]", "?");
    return clean.substring(0, Math.min(clean.length(), maxLength));
  }
}
