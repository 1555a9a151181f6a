"""The workloads with SQLAlchemy's ORM: rows are objects with an identity map and a unit of work."""

import sqlalchemy
from sqlalchemy import ForeignKey, create_engine, event, func, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship

from store import KEYS, set_pragmas

TITLE = f"SQLAlchemy {sqlalchemy.__version__} ORM"


class Base(DeclarativeBase):
    pass


class Row:
    """The columns of each table of a store: the key, the entity, the version."""

    key: Mapped[int] = mapped_column("Z_PK", primary_key=True)
    entity: Mapped[int] = mapped_column("Z_ENT")
    version: Mapped[int] = mapped_column("Z_OPT", default=1)


class Item(Row, Base):
    __tablename__ = "ZITEM"
    number: Mapped[int] = mapped_column("ZNUMBER")
    category: Mapped[int] = mapped_column("ZCATEGORY")
    score: Mapped[int] = mapped_column("ZSCORE")
    code: Mapped[int] = mapped_column("ZCODE")
    ratio: Mapped[float] = mapped_column("ZRATIO")
    amount: Mapped[float] = mapped_column("ZAMOUNT")
    name: Mapped[str] = mapped_column("ZNAME")
    mail: Mapped[str] = mapped_column("ZMAIL")
    text: Mapped[str] = mapped_column("ZTEXT")
    date: Mapped[float] = mapped_column("ZDATE")

    def values(self):
        return (
            self.number, self.category, self.score, self.code, self.ratio,
            self.amount, self.name, self.mail, self.text, self.date,
        )  # fmt: skip


class Parent(Row, Base):
    __tablename__ = "ZPARENT"
    name: Mapped[str] = mapped_column("ZNAME")
    children: Mapped[set["Child"]] = relationship(back_populates="parent")


class Child(Row, Base):
    __tablename__ = "ZCHILD"
    number: Mapped[int] = mapped_column("ZNUMBER")
    amount: Mapped[float] = mapped_column("ZAMOUNT")
    text: Mapped[str] = mapped_column("ZTEXT")
    parent_key: Mapped[int] = mapped_column("ZPARENT", ForeignKey("ZPARENT.Z_PK"))
    parent: Mapped[Parent] = relationship(back_populates="children")


def engine(path):
    """An engine whose connections have the bench's pragmas, and whose transactions begin with BEGIN.

    The event handlers are those of SQLAlchemy's page on SQLite ("Serializable isolation").
    """
    made = create_engine(f"sqlite:///{path}")

    @event.listens_for(made, "connect")
    def connected(connection, _):
        connection.isolation_level = None
        set_pragmas(connection)

    @event.listens_for(made, "begin")
    def began(connection):
        connection.exec_driver_sql("BEGIN")

    return made


class ORM:
    """One engine for the queries, and a new session for each round, as the layer has a context."""

    def __init__(self, stores, sample):
        self.stores = stores
        self.sample = sample
        self.engine = engine(stores.copy())

    def prepare(self, letter):
        """What is done before the time begins; the result is handed to the workload."""
        if letter in ("a", "b"):
            return engine(self.stores.empty())
        if letter == "o":
            return self.stores.base
        if letter in ("f", "g"):
            session = Session(engine(self.stores.copy()))
            session.held = [session.get(Item, number) for number in self.sample]
            return session
        session = Session(self.engine)
        # A session keeps no unchanged objects, so somebody has to.
        session.held = (
            [session.get(Item, number) for number in self.sample] if letter == "d2" else None
        )
        return session

    def _insert(self, made, size):
        items = self.stores.items
        for start in range(0, len(items), size):
            with Session(made) as session:
                for row in items[start : start + size]:
                    session.add(Item(entity=1, **dict(zip(KEYS, row))))
                session.commit()
        return [(row[0],) for row in items]

    def a(self, made):
        return self._insert(made, len(self.stores.items))

    def b(self, made):
        return self._insert(made, 1_000)

    def c(self, session):
        return [item.values() for item in session.scalars(select(Item)).all()]

    def d(self, session):
        return [session.get(Item, number).values() for number in self.sample]

    d2 = d

    def e(self, session):
        rows = []
        for query in range(20):
            filtered = select(Item).where(Item.category == query * 2)
            found = session.scalars(filtered.order_by(Item.date).limit(1000)).all()
            rows += [item.values() for item in found]
        return rows

    def f(self, session):
        for number, item in zip(self.sample, session.held):
            item.number = -number
            item.name = f"updated-{number}"
        session.commit()
        return [(number,) for number in self.sample]

    def g(self, session):
        for item in session.held:
            session.delete(item)
        session.commit()
        return [(number,) for number in self.sample]

    def h(self, session):
        count = select(func.count()).select_from(Item)
        return [
            (session.scalar(count.where(Item.score > query * 40_000, Item.ratio < 0.75)),)
            for query in range(20)
        ]

    def i(self, session):
        rows = []
        for parent in session.scalars(select(Parent)).all():
            rows.append((parent.name,))
            rows += [(child.number, child.amount, child.text) for child in parent.children]
        return rows

    def o(self, path):
        made = engine(path)
        with Session(made) as session:
            count = len(session.scalars(select(Item)).all())
        made.dispose()
        return [(count,)]

    def finish(self, letter, prepared):
        if letter in ("a", "b"):
            prepared.dispose()
        elif letter != "o":
            made = prepared.get_bind()
            prepared.close()
            if letter in ("f", "g"):
                made.dispose()
