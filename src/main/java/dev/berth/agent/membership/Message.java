package dev.berth.agent.membership;

import dev.berth.announce.Agent;
import dev.berth.announce.ApiContact;
import dev.berth.announce.Link;
import dev.berth.announce.NotAnnouncedReason;
import dev.berth.ip.Ip;
import dev.berth.ip.IpFamily;
import dev.berth.ip.IpRange;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What one agent says to another.
 *
 * @param kind what it is for
 * @param from the node of the one who says it
 * @param to the node of the one it is said to
 * @param number that is to be answered; each is higher than those before. Zero: none is
 * @param answers the last number that was heard of the other. Zero: none
 * @param state of the one who says it
 * @param suspect the node of one that does not answer; empty: none
 */
record Message(Kind kind, String from, String to, long number, long answers, State state, String suspect) {
    private static final int VERSION = 4;

    private static final List<IpFamily> FAMILIES = List.of(IpFamily.values());

    /** What a message is for. */
    enum Kind {
        /** Asks for an answer at once. */
        PING,
        /** Asks for an answer by the next beat of the other, who watches this one, too. */
        BEAT,
        /** Answers a ping at once. */
        ANSWER,
        /** Names one that does not answer: look yourself. */
        SUSPECT
    }

    /**
     * What an agent says of itself.
     *
     * @param began when its process began, by its clock: a later process has a higher one
     * @param version grows with each change of {@code agent}
     */
    record State(long began, long version, Agent agent) {
        /** Whether it is later than another of the same node, going by what it says. */
        boolean isAfter(State other) {
            return began == other.began() ? version > other.version() : began > other.began();
        }
    }

    byte[] encoded() {
        return encoded(encoded(state));
    }

    /** @param ofState {@link #state}, as {@link #encoded(State)} has it: most messages have that of the one before */
    byte[] encoded(byte[] ofState) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeUTF(kind.name());
            out.writeUTF(from);
            out.writeUTF(to);
            out.writeLong(number);
            out.writeLong(answers);
            out.writeUTF(suspect);
            out.write(ofState);
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
        return bytes.toByteArray();
    }

    static byte[] encoded(State state) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeLong(state.began());
            out.writeLong(state.version());
            out.writeBoolean(state.agent().willing());
            out.writeUTF(state.agent().contact().name());
            out.writeBoolean(state.agent().steady());
            out.writeShort(state.agent().links().size());
            for (Link link : state.agent().links()) {
                out.writeUTF(link.name());
                out.writeUTF(link.hardware());
                out.writeShort(link.networks().size());
                for (IpRange network : link.networks()) {
                    out.writeUTF(network.lower().toString());
                    out.writeUTF(network.upper().toString());
                }
            }
            out.writeShort(state.agent().refused().size());
            for (Map.Entry<Ip, NotAnnouncedReason> refused :
                    state.agent().refused().entrySet()) {
                out.writeUTF(refused.getKey().toString());
                out.writeUTF(refused.getValue().name());
            }
            write(state.agent().sessions(), out);
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
        return bytes.toByteArray();
    }

    /** First the names of those with all families, which is all that agents before this one read; then the others, with theirs. */
    private static void write(SequencedMap<String, List<IpFamily>> sessions, DataOutputStream out) throws IOException {
        Map<Boolean, List<Map.Entry<String, List<IpFamily>>>> byWhole = sessions.entrySet().stream()
                .collect(Collectors.partitioningBy(session -> session.getValue().containsAll(FAMILIES)));
        List<Map.Entry<String, List<IpFamily>>> whole = byWhole.getOrDefault(true, List.of());
        out.writeShort(whole.size());
        for (Map.Entry<String, List<IpFamily>> session : whole) {
            out.writeUTF(session.getKey());
        }
        List<Map.Entry<String, List<IpFamily>>> others = byWhole.getOrDefault(false, List.of());
        out.writeShort(others.size());
        for (Map.Entry<String, List<IpFamily>> session : others) {
            out.writeUTF(session.getKey());
            out.writeByte(session.getValue().size());
            for (IpFamily family : session.getValue()) {
                out.writeUTF(family.name());
            }
        }
    }

    private static SequencedMap<String, List<IpFamily>> sessions(DataInputStream in) throws IOException {
        SequencedMap<String, List<IpFamily>> sessions = new TreeMap<>();
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            sessions.put(in.readUTF(), FAMILIES);
        }
        // An agent before this one has written no more.
        for (int left = in.available() == 0 ? 0 : in.readUnsignedShort(); left > 0; left--) {
            String peer = in.readUTF();
            List<IpFamily> families = new ArrayList<>();
            for (int more = in.readUnsignedByte(); more > 0; more--) {
                families.add(IpFamily.valueOf(in.readUTF()));
            }
            sessions.put(peer, families);
        }
        return sessions;
    }

    /** Reads the rest of a message of a node. */
    interface StateReader {
        State read(String node, byte[] bytes) throws IOException;
    }

    /**
     * Reads what {@link #encoded} wrote.
     *
     * @throws IOException if it is something else
     */
    static Message decoded(byte[] bytes) throws IOException {
        return decoded(bytes, (_, state) -> state(state));
    }

    /** The same, with what another way reads the state by. */
    static Message decoded(byte[] bytes, StateReader reader) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            int version = in.readUnsignedByte();
            if (version != VERSION) {
                throw new IOException("protocol version " + version + " is not supported; this agent uses " + VERSION);
            }
            Kind kind = Kind.valueOf(in.readUTF());
            String from = in.readUTF();
            String to = in.readUTF();
            long number = in.readLong();
            long answers = in.readLong();
            String suspect = in.readUTF();
            return new Message(kind, from, to, number, answers, reader.read(from, in.readAllBytes()), suspect);
        } catch (IllegalArgumentException odd) {
            throw new IOException("it cannot be read: " + odd.getMessage(), odd);
        }
    }

    /**
     * Reads what {@link #encoded(State)} wrote.
     *
     * @throws IOException if it is something else
     */
    static State state(byte[] bytes) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            long began = in.readLong();
            long stateVersion = in.readLong();
            boolean willing = in.readBoolean();
            ApiContact contact = ApiContact.valueOf(in.readUTF());
            boolean steady = in.readBoolean();
            List<Link> links = new ArrayList<>();
            for (int left = in.readUnsignedShort(); left > 0; left--) {
                String name = in.readUTF();
                String hardware = in.readUTF();
                List<IpRange> networks = new ArrayList<>();
                for (int more = in.readUnsignedShort(); more > 0; more--) {
                    networks.add(new IpRange(Ip.parse(in.readUTF()), Ip.parse(in.readUTF())));
                }
                links.add(new Link(name, hardware, networks));
            }
            SequencedMap<Ip, NotAnnouncedReason> refused = new TreeMap<>();
            for (int left = in.readUnsignedShort(); left > 0; left--) {
                refused.put(Ip.parse(in.readUTF()), NotAnnouncedReason.valueOf(in.readUTF()));
            }
            return new State(began, stateVersion, new Agent(willing, contact, steady, links, refused, sessions(in)));
        } catch (IllegalArgumentException odd) {
            throw new IOException("it cannot be read: " + odd.getMessage(), odd);
        }
    }
}
