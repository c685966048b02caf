"""What skills put into the copy of a space: what is installed, without values of variables."""

from accounts.platform.export import Table, export_table, leave_out
from sandbox.skill_models import Skill, SkillConsent, SkillEvent, SkillVariable, SkillVersion

export_table(Table(model=Skill))
export_table(Table(model=SkillVersion))
export_table(Table(model=SkillConsent))
export_table(Table(model=SkillEvent))
leave_out(SkillVariable, "they hold secrets, some of them personal; they are entered anew")
